"""A rehearsal of a durable run on an author's machine: mocked steps, and recorded journals over changed code.

Whoever rehearses plays the worker. A request without `rehearsal` never loads this module.
"""

# Functions and frames are of any type.
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false

from __future__ import annotations

import builtins
import os
import sys

from _runfleet import step_values
from _runfleet.channel import write_frame
from _runfleet.journal import journal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from _runfleet.branches import Branch
    from _runfleet.steps import Call


class Rehearsal:
    """`mocks`: what steps of a name end as, one after the other, the last one again and again.

    `only_recorded`: no step is done.
    """

    def __init__(self, given: dict[str, Any]) -> None:
        self.mocks: dict[str, list[dict[str, Any]]] = given.get("mocks") or {}
        self.only_recorded = bool(given.get("only_recorded"))
        self.counts: dict[str, int] = {}

    def placed(self, kind: str, name: str, key: str, branch: Branch) -> None:
        place = {"key": key, "name": name, "branch": branch.path, "position": branch.position}
        write_frame("call.placed", kind=kind, at=line_of_call(), **place)

    def holds(self, call: Call) -> bool:
        """Returns whether a step is not to be done. Any other has no delays, and its mock is called if it has one."""
        if self.only_recorded:
            return call.key not in journal.entries
        delay_of = call.retry.delay_of
        call.retry.delay_of = lambda error, number: None if delay_of(error, number) is None else 0.0
        if call.name in self.mocks:
            call.function, call.args, call.kwargs = self.mock_of(call.name), (), {}
        elif call.name == "now":
            call.function = now
        return False

    def mock_of(self, name: str) -> Any:
        def mock() -> Any:
            count = self.counts[name] = self.counts.get(name, 0) + 1
            outcome = self.mocks[name][min(count, len(self.mocks[name])) - 1]
            if "error" in outcome:
                raise error_of(**outcome["error"])
            return step_values.decode(outcome["result"])

        return mock


def now() -> Any:
    """The time as the code would find it if it had waited."""
    import datetime

    skipped = max((entry.get("skipped_ms", 0) for entry in journal.entries.values()), default=0)
    return datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(milliseconds=skipped)


def error_of(type: str, message: str = "") -> BaseException:
    known: Any = getattr(step_values, type, None) or getattr(builtins, type, None)
    if not isinstance(known, builtins.type) or not issubclass(known, Exception):
        known = builtins.type(type, (Exception,), {})
    return known(float(message)) if type == "RetryAfter" else known(message)


def line_of_call() -> str | None:
    """Returns where the author's code makes the call."""
    frame: Any = sys._getframe(1)  # pyright: ignore[reportPrivateUsage]
    while frame is not None and str(frame.f_globals.get("__name__", "")).startswith("_runfleet"):
        frame = frame.f_back
    return None if frame is None else f"{os.path.relpath(frame.f_code.co_filename)}:{frame.f_lineno}"
