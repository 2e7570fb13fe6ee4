"""The last frame of a run or a message."""

from __future__ import annotations

import os

from _runfleet.channel import LINE_BYTES, flush, last_log, write_frame
from _runfleet.context import Continued, Interrupted
from _runfleet.stopping import Stopped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

TRACEBACK_CHARS = 64 * 1024
WORK_DIRECTORY = os.getcwd()  # Private to this run, and empty when the process starts.


def flush_and_read_log() -> str:
    """Returns the last of what was written to stderr: there a program says why it exits."""
    flush()
    return "\n".join(last_log)


def describe(error: BaseException) -> dict[str, Any]:
    """Returns {error_type, message, traceback}. The traceback has the agent's own frames only."""
    try:
        import traceback
    except Exception:  # Out of memory or descriptors.
        return {"error_type": type(error).__name__, "message": str(error), "traceback": None}
    summary = traceback.TracebackException.from_exception(error)
    parts: list[Any] = [summary]
    seen: set[int] = set()
    while parts:
        part = parts.pop()
        if part is None or id(part) in seen:
            continue
        seen.add(id(part))
        part.stack = traceback.StackSummary.from_list(
            frame for frame in part.stack if not frame.filename.startswith("<runfleet")
        )
        parts += [part.__cause__, part.__context__, *(getattr(part, "exceptions", None) or ())]
    try:
        message = str(error)
    except Exception:
        message = "(its message can't be shown)"
    text = "".join(summary.format()).replace(WORK_DIRECTORY + os.sep, "")[-TRACEBACK_CHARS:]
    return {"error_type": type(error).__name__, "message": message[:TRACEBACK_CHARS], "traceback": text}


def ending_of(error: BaseException) -> tuple[str, dict[str, Any]]:
    """Returns the type and fields of the last frame of a run that raised `error`."""
    if isinstance(error, Interrupted):
        return "interrupt", error.question
    if isinstance(error, Continued):
        return "continue", {"input_payload": error.input}
    if isinstance(error, Stopped):
        fields = {"error_type": "Stopped", "message": "The run was asked to end.", "traceback": None}
        return "error", {"code": "agent_error", **fields}
    if isinstance(error, SystemExit) and error.code in (None, 0):
        return "result", {"result_content": None}
    code = getattr(error, "runfleet_code", "agent_error")
    if code != "agent_error":
        return "error", {"code": code, "error_type": type(error).__name__, "message": str(error), "traceback": None}
    described = describe(error)
    if isinstance(error, SystemExit) and not isinstance(error.code, str):
        said = flush_and_read_log().strip()
        described["message"] = f"The agent exited with code {error.code}{f': {said}' if said else '.'}"
    return "error", {
        "code": code,
        **described,
        "traceback": None if isinstance(error, SystemExit) else described["traceback"],
    }


def write_ending(type_: str, fields: dict[str, Any]) -> bool:
    """Writes the last frame, or an error in its place when it is too long. Returns whether the run ended well."""
    flush()
    if write_frame(type_, **fields):
        return type_ != "error"
    message = f"The result is longer than {LINE_BYTES} bytes."
    write_frame("error", code="agent_error", error_type="ResultTooLarge", message=message, traceback=None)
    return False
