"""Work in several processes gives what it gives in one: results, errors, and an end when it is interrupted."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from tests.checkout import run_python
from tests.internals.compiler import without_collection

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are forked on Linux only")

MET = """
import os, sys, time
from pathlib import Path
from promptwire_gen import workers

workers.count_cores = lambda: 2
folder = Path(sys.argv[1])

def work(item):
    (folder / item).touch()
    # neither goes on before the other has begun
    while not (folder / "a").exists() or not (folder / "b").exists():
        time.sleep(0.001)
    return item, os.getpid()

(a, first), (b, second), (c, _) = workers.map_parallel(work, ["a", "b", "c"])
print(a, b, c, len({first, second, os.getpid()}))
"""

BROKEN = """
import os, sys
from promptwire_gen import workers

workers.count_cores = lambda: int(sys.argv[1])
here = os.getpid()

class TwoWords(Exception):
    def __init__(self, first, second):
        super().__init__(first)

def work(item):
    if item in sys.argv[2]:
        # no pickle brings it back
        raise TwoWords(item, os.getpid() == here)
    return item

try:
    print(workers.map_parallel(work, list("abcdef")))
except TwoWords as error:
    print(error.args, error.__traceback__.tb_next.tb_next is not None)
"""

DIES = """
import os
from promptwire_gen import workers

workers.count_cores = lambda: 2
here = os.getpid()

def work(item):
    if item == "b" and os.getpid() != here:
        os.kill(os.getpid(), 9)
    return item

print(workers.map_parallel(work, ["a", "b", "c"]))
"""

UNPICKLED = """
from promptwire_gen import workers

workers.count_cores = lambda: 2
print([give() for give in workers.map_parallel(lambda item: lambda: item, ["a", "b"])])
"""

WAITS = """
import os, signal, time
from promptwire_gen import workers

# a shell starts what runs in its background with the signal ignored
signal.signal(signal.SIGINT, signal.default_int_handler)
workers.count_cores = lambda: 2

def wait(item):
    os.write(1, f"{os.getpid()}\\n".encode())
    time.sleep(60)

try:
    workers.map_parallel(wait, ["a", "b", "c"])
except KeyboardInterrupt:
    print("interrupted")
"""

BESIDE = """
import os, threading
from promptwire_gen import workers

workers.count_cores = lambda: 2
ends = threading.Event()
threading.Thread(target=ends.wait).start()
print(set(workers.map_parallel(lambda item: os.getpid(), ["a", "b"])) == {os.getpid()})
ends.set()
"""


MEANWHILE = """
import os, sys, threading
from promptwire_gen import workers

workers.count_cores = lambda: int(sys.argv[1])
if sys.argv[2] == "thread":
    threading.Thread(target=threading.Event().wait, daemon=True).start()

def work():
    if sys.argv[2] == "broken":
        raise ValueError
    if sys.argv[2] == "dies":
        os._exit(1)
    return os.getpid()

with workers.run_in_background(work) as result:
    pid = result()
print(pid if pid is None else pid != os.getpid(), threading.active_count() - (sys.argv[2] == "thread"))
"""


LEFT = """
import multiprocessing, time
from promptwire_gen import workers

workers.count_cores = lambda: 2
try:
    with workers.run_in_background(lambda: time.sleep(3600)):
        raise KeyError
except KeyError:
    print(multiprocessing.active_children())
"""


def said(program: str, *arguments: str, folder: Path) -> str:
    """Run a program where nothing else runs; what it prints."""
    done = run_python("-c", program, *arguments, folder=folder)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.strip()


def start(program: str) -> tuple[subprocess.Popen[str], list[int]]:
    """Start a program in a group of its own; the process, and the two workers that name themselves."""
    process = subprocess.Popen(
        [sys.executable, "-c", program],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip
    assert process.stdout is not None
    working = [int(process.stdout.readline()) for _ in range(2)]
    assert len({process.pid, *working}) == 3
    return process, working


def test_two_processes_work_at_once_and_results_keep_their_order(tmp_path: Path) -> None:
    assert said(MET, str(tmp_path), folder=tmp_path) == "a b c 3"


@pytest.mark.parametrize("cores", ["1", "2", "8"])
@pytest.mark.parametrize(("broken", "first"), [("a", "a"), ("f", "f"), ("fdb", "b")])
def test_the_first_error_is_always_the_same_and_met_here(
    tmp_path: Path, cores: str, broken: str, first: str
) -> None:
    assert said(BROKEN, cores, broken, folder=tmp_path) == f"('{first}',) True"


def test_a_process_that_dies_is_made_up_for(tmp_path: Path) -> None:
    assert said(DIES, folder=tmp_path) == "['a', 'b', 'c']"


def test_a_result_that_no_pickle_takes_is_made_here(tmp_path: Path) -> None:
    assert said(UNPICKLED, folder=tmp_path) == "['a', 'b']"


def test_an_interruption_ends_every_process_and_says_nothing_twice() -> None:
    process, working = start(WAITS)
    # as a terminal does: to all of them
    os.killpg(process.pid, signal.SIGINT)
    assert process.communicate(timeout=300) == ("interrupted\n", "")
    for pid in working:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_no_process_outlives_the_one_that_began_it(how: signal.Signals) -> None:
    process, _ = start(WAITS)
    process.send_signal(how)
    # what all write to ends when all are gone
    assert process.communicate(timeout=300) == ("", "")
    assert process.returncode == -how


def test_beside_a_thread_nothing_is_forked(tmp_path: Path) -> None:
    assert said(BESIDE, folder=tmp_path) == "True"


@pytest.mark.parametrize(
    ("cores", "how", "given"),
    [
        ("2", "works", "True"),
        ("1", "works", "None"),
        ("2", "broken", "None"),
        ("2", "dies", "None"),
        ("2", "thread", "None"),
    ],
)
def test_what_is_done_meanwhile_is_there_or_is_made_again(
    tmp_path: Path, cores: str, how: str, given: str
) -> None:
    # no thread is left: what comes next may fork
    assert said(MEANWHILE, cores, how, folder=tmp_path) == f"{given} 1"


def test_what_nobody_takes_is_not_waited_for(tmp_path: Path) -> None:
    assert said(LEFT, folder=tmp_path) == "[]"


@pytest.mark.parametrize("enabled", [True, False])
def test_the_garbage_collector_is_afterwards_as_it_was(enabled: bool) -> None:
    before = gc.isenabled()
    try:
        gc.enable() if enabled else gc.disable()
        with suppress(ValueError), without_collection():
            assert not gc.isenabled()
            raise ValueError
        assert gc.isenabled() is enabled
    finally:
        gc.enable() if before else gc.disable()
