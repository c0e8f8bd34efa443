"""The tools that a model call sees of a thousand in a hundred toolkits, and the time of a session."""

from __future__ import annotations

from time import perf_counter

from promptwire import Request, Tool, user
from promptwire.toolkits import CollapsingConfig, Session, Toolkit, Toolkits, ToolkitState

KITS = [
    Toolkit(f"kit{n}", f"Kit {n}", [Tool(f"f{n}_{m}", parameters={"type": "object"}) for m in range(10)], system_prompt="R")
    for n in range(100)
]  # fmt: skip
REQUEST = Request("m", user("Hello"), instructions="You help.")
HALF = ToolkitState(
    expanded=tuple([f"kit{n}" for n in range(50)]),
    active=tuple([f"kit{n}" for n in range(50)]),
    prompts={f"kit{n}": "R" for n in range(50)},
)
MOST = 0.001


def best(catalogue: Toolkits, state: ToolkitState, *, anew: bool) -> float:
    """The shortest of many views, in seconds; `anew` lets it remember nothing of the one before."""
    times = []
    for _ in range(200):
        if anew:
            catalogue.blocks.clear()
        start = perf_counter()
        Session(catalogue, REQUEST, state)
        times.append(perf_counter() - start)
    return min(times)


def test_a_view_of_a_thousand_tools_takes_less_than_a_millisecond() -> None:
    containers, everything = Toolkits(KITS), Toolkits(KITS, CollapsingConfig(enabled=False))
    rows = {
        "collapsed": best(containers, ToolkitState(), anew=True),
        "half expanded": best(containers, HALF, anew=True),
        "half expanded, again": best(containers, HALF, anew=False),
        "all": best(everything, ToolkitState(), anew=True),
    }
    for name, seconds in rows.items():
        print(f"{name}: {seconds * 1000:.3f} ms")
    assert max(rows.values()) < MOST
    assert len(Session(containers, REQUEST, HALF).request.tools or ()) == 550
