"""Work in several processes gives what it gives in one: results, errors, and an end when it is interrupted."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from promptwire_gen.layout import find_layout
from promptwire_gen.lowering import lower_all
from tests.checkout import INPUTS, copy_folders, keep_specs, run_python

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are forked on Linux only")

MET = """
import os, sys, time
from pathlib import Path
from promptwire_gen import forking
from promptwire_gen.forking import spread

forking.cores = lambda: 2
here, folder = os.getpid(), Path(sys.argv[1])

def work(items):
    done = []
    for item in items:
        (folder / item).touch()
        # neither goes on before the other has begun
        while not (folder / "a").exists() or not (folder / "b").exists():
            time.sleep(0.001)
        done.append((item, os.getpid() != here))
    return done

print(sorted(row for rows in spread(work, ["a", "b", "c"]) for row in rows))
"""

BROKEN = """
import os, sys
from promptwire_gen import forking
from promptwire_gen.forking import spread

forking.cores = lambda: int(sys.argv[1])
here = os.getpid()

def work(items):
    done = []
    for item in items:
        if item in sys.argv[2]:
            raise ValueError(item, os.getpid() == here)
        done.append(item)
    return done

try:
    print(spread(work, list("abcdef")))
except ValueError as error:
    print(error.args)
"""

DIES = """
import os
from promptwire_gen import forking
from promptwire_gen.forking import Fork, spread

forking.cores = lambda: 2
here = os.getpid()

def work(items):
    items = list(items)
    if os.getpid() != here:
        os.kill(os.getpid(), 9)
    return items

print(spread(work, ["a", "b", "c"]), Fork(lambda: os._exit(1)).made())
"""

WAITS = """
import os, signal, sys, time
from pathlib import Path
import promptwire_gen.emit.format as format_module
import promptwire_gen.rendering as rendering
from promptwire_gen import forking
from promptwire_gen.emit.artifact import Artifact
from promptwire_gen.emit.environment import environment

# a shell starts what runs in its background with the signal ignored
signal.signal(signal.SIGINT, signal.default_int_handler)
forking.cores, here = lambda: 2, os.getpid()
format_module._MEMORY = sys.argv[1]

def wait(texts, scratch):
    (scratch / str(os.getpid())).touch()
    os.write(1, f"{os.getpid()}\\n".encode())
    try:
        time.sleep(60)
    except KeyboardInterrupt:
        # long enough for the other process to complain, if it were interrupted as well
        time.sleep(1 if os.getpid() == here else 0)
        raise

rendering.format_all = wait
rendering._text = lambda plugin, artifact, jinja: time.sleep(0.2)
try:
    orders = [("small", Artifact(path=wire, wire=wire)) for wire in "ab"]
    rendering.make_texts(orders, environment([]), {})
except KeyboardInterrupt:
    print("interrupted", os.listdir(sys.argv[1]))
"""


def said(program: str, *arguments: str, folder: Path) -> str:
    """Run a program where nothing else runs; what it prints."""
    done = run_python("-c", program, *arguments, folder=folder)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.strip()


def test_two_processes_work_at_once(tmp_path: Path) -> None:
    rows = dict(eval(said(MET, str(tmp_path), folder=tmp_path)))  # noqa: S307  # what the program above prints
    assert sorted(rows) == ["a", "b", "c"]
    assert {rows["a"], rows["b"]} == {True, False}


@pytest.mark.parametrize("cores", ["1", "2", "8"])
@pytest.mark.parametrize(("broken", "first"), [("a", "a"), ("f", "f"), ("fdb", "b")])
def test_the_first_error_is_always_the_same_and_met_here(
    tmp_path: Path, cores: str, broken: str, first: str
) -> None:
    assert said(BROKEN, cores, broken, folder=tmp_path) == f"('{first}', True)"


def test_a_process_that_dies_is_made_up_for(tmp_path: Path) -> None:
    assert said(DIES, folder=tmp_path) == "[['a', 'b', 'c']] ()"


def test_an_interruption_ends_every_process_and_leaves_nothing(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", WAITS, str(tmp_path)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip
    assert process.stdout is not None
    working = [int(process.stdout.readline()) for _ in range(2)]
    # as a terminal does: to all of them
    os.killpg(process.pid, signal.SIGINT)
    assert process.communicate(timeout=20) == ("interrupted []\n", "")
    assert process.pid in working
    for pid in working:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


AHEAD = """
import os, sys
import promptwire_gen.ahead as ahead
from promptwire_gen.layout import find_layout

here, lower = os.getpid(), ahead._lower

def lower_or_die(sources):
    if sys.argv[1] == "dies" and os.getpid() != here:
        os._exit(1)
    return lower(sources)

ahead._lower = lower_or_die
begun = ahead.begin_lowering(find_layout())
lowered = begun.lowered()
print([wire.name for wire in lowered.wires], *lowered.problems, sep="\\n")
"""


@pytest.mark.parametrize("how", ["lives", "dies"])
@pytest.mark.parametrize("broken", [False, True])
def test_specs_lowered_ahead_are_those_that_are_lowered_here(
    tmp_path: Path, how: str, *, broken: bool
) -> None:
    project = keep_specs(copy_folders(tmp_path, *INPUTS), "ollama_chat", "onnx_genai")
    if broken:
        spec = project / "provider_specs" / "ollama_chat.yaml"
        spec.write_text(spec.read_text("utf-8").replace("$model", "$modle"), "utf-8")
    lowered = lower_all(find_layout(project).read_specs())
    assert bool(lowered.problems) == broken
    expected = [str([wire.name for wire in lowered.wires]), *map(str, lowered.problems)]
    assert said(AHEAD, how, folder=project).splitlines() == expected


BESIDE = """
import threading
from promptwire_gen.ahead import begin_lowering
from promptwire_gen.forking import spread
from promptwire_gen.layout import find_layout

ends = threading.Event()
threading.Thread(target=ends.wait).start()
print(begin_lowering(find_layout()), spread(list, ["a", "b"]))
ends.set()
"""


def test_beside_a_thread_nothing_is_forked(tmp_path: Path) -> None:
    assert said(BESIDE, folder=copy_folders(tmp_path, *INPUTS)) == "None [['a', 'b']]"


ANSWERS_HALF = """
import os
from promptwire_gen import forking

class Half:
    def send(self, made):
        # the head of a message of a hundred bytes, and no more of it
        os.write(self.number, b"\\x00\\x00\\x00\\x64half")
        os._exit(1)

def send(receiver, sender, work):
    half = Half()
    half.number = sender.fileno()
    half.send(work())

forking._send = send
print(forking.Fork(lambda: "x").made())
"""


def test_a_process_that_dies_while_it_answers_has_made_nothing(tmp_path: Path) -> None:
    assert said(ANSWERS_HALF, folder=tmp_path) == "()"


OUTLIVES = """
import os, sys, time
from promptwire_gen.forking import Fork

def work():
    os.write(1, f"{os.getpid()}\\n".encode())
    time.sleep(0.2)
    return "x" * 1_000_000

Fork(work)
os.read(0, 1)
"""


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_no_process_outlives_the_one_that_began_it(tmp_path: Path, how: signal.Signals) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", OUTLIVES], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert int(process.stdout.readline()) != process.pid
    process.send_signal(how)
    # what both write to ends when both are gone
    assert process.communicate(timeout=20)[0] == ""
