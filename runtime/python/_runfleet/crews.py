"""Reports what a CrewAI crew does, by the events of its bus."""

# An agent's objects are of any type.
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false

from __future__ import annotations

import sys
from _thread import allocate_lock as Lock
from contextlib import contextmanager

from _runfleet.encode_json import encode, parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from typing import Any

    Send = Callable[..., None]

# Where CrewAI has its bus: from 0.177 on, and before.
PLACES = ("events", "utilities.events")


def find_bus(crew: Any) -> Any:
    """Returns the module of the crew's own package that has the bus; None without one."""
    import importlib

    root = type(crew).__module__.partition(".")[0]
    for place in PLACES if root in sys.modules else ():
        try:
            module = importlib.import_module(f"{root}.{place}")
        except ImportError:
            continue
        if hasattr(module, "crewai_event_bus"):
            return module
    return None


@contextmanager
def crew_events(crew: Any, send: Send) -> Generator[None, None, None]:
    """Tool calls and a streaming model's tokens are reported while the block runs. The bus is the process's own."""
    module = find_bus(crew)
    if module is None:
        yield
        return
    bus = module.crewai_event_bus
    calls = CrewEvents(send)
    with bus.scoped_handlers():
        for name, handle in (
            ("ToolUsageStartedEvent", calls.start),
            ("ToolUsageFinishedEvent", calls.finish),
            ("ToolUsageErrorEvent", calls.fail),
            ("LLMStreamChunkEvent", calls.say),
        ):
            event_type = getattr(module, name, None)
            if event_type is not None:
                listen(bus, event_type, handle)
        yield
        # Newer buses call their handlers in threads.
        flush = getattr(bus, "flush", None)
        if callable(flush):
            flush()


def listen(bus: Any, event_type: Any, handle: Callable[[Any], None]) -> None:
    @bus.on(event_type)
    def on_event(source: Any, event: Any) -> None:
        handle(event)


class CrewEvents:
    """A finished event has no id of its start: it ends the oldest open call of that tool with these arguments."""

    def __init__(self, send: Send) -> None:
        self.send = send
        self.lock = Lock()
        self.count = 0
        self.open: dict[tuple[str, bytes], list[str]] = {}

    def start(self, event: Any) -> None:
        name, args = call_of(event)
        with self.lock:
            self.count += 1
            call_id = f"crew_{self.count}"
            self.open.setdefault((name, encode(args)), []).append(call_id)
        self.send("tool.start", call_id=call_id, name=name, args=args)

    def say(self, event: Any) -> None:
        self.send("output", content=event.chunk)

    def finish(self, event: Any) -> None:
        self.end(event, getattr(event, "output", None), None)

    def fail(self, event: Any) -> None:
        self.end(event, None, str(getattr(event, "error", "")) or "The tool failed.")

    def end(self, event: Any, result: Any, error: str | None) -> None:
        name, args = call_of(event)
        with self.lock:
            waiting = self.open.get((name, encode(args)), [])
            call_id = waiting.pop(0) if waiting else None
        if call_id is not None:
            self.send("tool.end", call_id=call_id, result=result, error=error)


def call_of(event: Any) -> tuple[str, Any]:
    """Arguments are a dict, or JSON."""
    args = getattr(event, "tool_args", None)
    if isinstance(args, str):
        try:
            args = parse(args)
        except (ValueError, StopIteration):
            args = {"input": args}
    return str(getattr(event, "tool_name", "tool")), args
