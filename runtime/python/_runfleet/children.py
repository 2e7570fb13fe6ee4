"""Runs that the code starts: it waits for them, or leaves them to themselves. Loaded for code that starts some only."""

# Inputs and results are of any type.
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false

from __future__ import annotations

from _runfleet import load_part, step_values
from _runfleet.branches import lock
from _runfleet.encode_json import parse
from _runfleet.journal import MOST_ENTRIES, journal, look_at
from _runfleet.steps import in_loop
from _runfleet.waits import Wait, begin, begin_call, check_input

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MOST_CHILDREN = 1_000


class Call:
    """A call that starts runs. Each of them has a key of its own."""

    def __init__(self, name: str, agent: Any, version: Any, key: Any, detached: bool = False) -> None:
        if not isinstance(agent, str) or not isinstance(version, str):
            raise TypeError(f"{name}() takes the id of an agent and the name of a version as text.")
        self.name = f"{name} {agent}"[:128]
        self.place = journal.place("call", self.name, key)
        self.key = self.place["key"]
        self.fields: dict[str, Any] = {"agent_id": agent, "version": version, "detached": detached, "concurrency": None}


class Child(Wait):
    """One run. `suffix`: tells the runs of a call apart."""

    fails = True

    def __init__(self, call: Call, suffix: str, given: Any) -> None:
        self.key, self.asked = call.key + suffix, ""
        self.frame = {"type_": "child.open", **call.place, "key": self.key, "input": given, **call.fields}
        call.place["closes"] = []

    def unwrap(self, entry: dict[str, Any]) -> Any:
        if entry["ok"]:
            return parse(entry.get("result") or "null")
        error: Any = step_values.rebuild(entry["error"])
        child = entry.get("child") or {}
        error.run_id, error.status, error.code = child.get("run_id"), child.get("status"), child.get("code")
        raise error


def run_agent(agent: str, input: Any = None, *, version: str = "current", key: Any = None) -> Any:
    """Runs another agent, and returns its run's result. Raises ChildFailed when that run doesn't succeed."""
    begin_call()
    given = check_input(input, "run_agent()'s input")
    return begin(Child(Call("run_agent", agent, version, key), "", given))


def start_agent(agent: str, input: Any = None, *, version: str = "current", key: Any = None) -> Any:
    """Starts a run of another agent, which goes on by itself, and returns its id."""
    begin_call()
    given = check_input(input, "start_agent()'s input")
    return begin(Child(Call("start_agent", agent, version, key, detached=True), "", given))


def map(
    agent: str,
    inputs: Any,
    *,
    concurrency: int | None = None,
    return_errors: bool = False,
    version: str = "current",
    key: Any = None,
) -> Any:
    """Runs another agent once for each input, and returns the results in the order of the inputs.

    `concurrency`: so many at once. The first input's error is raised when all have ended; `return_errors`: errors
    stand among the results.
    """
    begin_call()
    given = [check_input(one, f"map()'s input {number}") for number, one in enumerate(inputs)]
    if concurrency is not None and not (type(concurrency) is int and 0 < concurrency <= MOST_CHILDREN):
        raise ValueError(f"map() takes a concurrency from 1 to {MOST_CHILDREN}, not {concurrency!r:.200}.")
    if len(given) > MOST_CHILDREN:
        raise ValueError(f"map() takes at most {MOST_CHILDREN} inputs, not {len(given)}.")
    call = Call("map", agent, version, key)
    if concurrency is not None:
        call.fields["concurrency"] = {"group": call.key, "most": concurrency}
    children = [Child(call, f"[{number}]", one) for number, one in enumerate(given)]
    check_room([child for child in children if child.key not in journal.entries])
    journal.groups[call.key] = [child.key for child in children]
    if in_loop():
        return load_part("async_steps").begin_map(children, return_errors)
    return gather([begin_one(child) for child in children], return_errors)


def check_room(children: list[Child]) -> None:
    if journal.count + len(children) > MOST_ENTRIES:
        raise step_values.JournalFull(
            f"map() was not begun: the run's journal has {journal.count} entries and may have {MOST_ENTRIES}."
        )


def begin_one(child: Child) -> tuple[Child, Any]:
    """Starts a run, without waiting for it. Returns the slot of its end; None: it has ended."""
    with lock:
        slot = None if child.key in journal.entries else journal.ask(child.key, is_durable=True)
    if slot is not None:
        child.open()
    return child, slot


def gather(begun: list[tuple[Child, Any]], return_errors: bool) -> list[Any]:
    if journal.is_read_by_loop():
        journal.loop.call_soon_threadsafe(load_part("idle").watch.plan)
    results: list[Any] = []
    for child, slot in begun:
        entry = journal.entries[child.key] if slot is None else journal.wait(slot)
        try:
            results.append(look_at(child, entry))
        except step_values.DurableError as error:
            results.append(error)
    return results if return_errors else raise_first(results)


def raise_first(results: list[Any]) -> list[Any]:
    for result in results:
        if isinstance(result, step_values.DurableError):
            raise result
    return results
