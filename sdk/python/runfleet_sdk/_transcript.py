"""What a run has said, as it stands. A run that starts again makes some of its earlier events void."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NamedTuple, cast

Event = Any
"""An event of a run, as its JSON says it."""

ENDS = frozenset({"run.success", "run.error", "run.timeout", "run.cancelled", "run.expired"})
"""The types of a run's last event."""


class EventId(NamedTuple):
    """The id of a run's event: `<attempt>-<seq>`. `seq` counts from 1 within an attempt."""

    attempt: int
    seq: int


def parse_event_id(text: str | None) -> EventId | None:
    """Returns None for what is no id of a run's event."""
    found = re.fullmatch(r"(\d{1,9})-(\d{1,9})", text or "")
    return EventId(int(found[1]), int(found[2])) if found else None


def place_event(last: str | None, event: Event) -> str:
    """Returns `next`, `repeated` for an event that was read already, or `hole` when events before it are missing."""
    before = parse_event_id(last) or EventId(0, 0)
    at = EventId(event["attempt"], event["seq"])
    if at <= before:
        return "repeated"
    # A gap names what can't be read any more.
    if event["type"] == "gap":
        return "next"
    if at.attempt == before.attempt:
        return "next" if at.seq == before.seq + 1 else "hole"
    follows = event.get("follows")
    is_direct = follows is None or last is None or follows == last
    return "next" if at.seq == 1 and is_direct else "hole"


def voided_by(event: Event) -> Callable[[Event], bool] | None:
    """Returns which of the events before it this one makes void. None: no event."""
    if event["type"] == "run.started":
        if "discards" in event:
            return _is_output
        return _withdrawal(parse_event_id(event.get("keeps")), event.get("voids") or [])
    return _withdrawal(None, event["voids"]) if event["type"] == "step.retrying" else None


def _is_output(event: Event) -> bool:
    # What the run said of its own way isn't output.
    return not event["type"].startswith("run.")


def _withdrawal(last: EventId | None, voids: list[list[str]]) -> Callable[[Event], bool] | None:
    ranges = [
        (first, end) for first, end in ((parse_event_id(a), parse_event_id(b)) for a, b in voids) if first and end
    ]
    if last is None and not ranges:
        return None

    def is_void(earlier: Event) -> bool:
        if not _is_output(earlier):
            return False
        at = EventId(earlier["attempt"], earlier["seq"])
        if last and at.attempt == last.attempt and at.seq > last.seq:
            return True
        return any(first.attempt == at.attempt and first.seq <= at.seq <= end.seq for first, end in ranges)

    return is_void


def spoken_text(content: Any) -> str | None:
    """Returns the text of an output: a scalar as text, LangChain's content blocks joined. None: the output is data."""
    if isinstance(content, str):
        return content
    if isinstance(content, bool):
        return "true" if content else "false"
    if isinstance(content, (int, float)):
        return str(content)
    blocks = cast("list[Any]", content) if isinstance(content, list) else []
    texts = [_text_of_block(block) for block in blocks]
    return "".join(str(text) for text in texts) if texts and None not in texts else None


def _text_of_block(block: Any) -> str | None:
    known = cast("dict[str, Any]", block if isinstance(block, dict) else {})
    text = known.get("text")
    return text if known.get("type") == "text" and isinstance(text, str) else None


class Transcript:
    """The events of a run that stand."""

    def __init__(self) -> None:
        self.events: list[Event] = []

    def push(self, event: Event) -> bool:
        """Takes the next event. Returns True when it has made earlier ones void."""
        is_void = voided_by(event)
        standing = [earlier for earlier in self.events if not is_void(earlier)] if is_void else self.events
        has_withdrawn = len(standing) < len(self.events)
        standing.append(event)
        self.events = standing
        return has_withdrawn

    @property
    def text(self) -> str:
        """The text that stands."""
        said = (spoken_text(event["content"]) for event in self.events if event["type"] == "output.delta")
        return "".join(text for text in said if text)


class Spoken(NamedTuple):
    """`is_anew`: what was given before is void, and the text begins anew."""

    text: str
    is_anew: bool


_NOTHING = Spoken("", False)


class RunText:
    """Turns a run's events into its text, each thing once.

    What a run that starts again repeats is left out. At the first difference the text begins anew.
    """

    def __init__(self) -> None:
        self._said: list[tuple[Event, str]] = []
        # While the run repeats: what the reader has, and how much of it was repeated so far.
        self._shown: str | None = None
        self._repeated = 0

    def push(self, event: Event) -> Spoken:
        """Returns the next text."""
        is_void = voided_by(event)
        if is_void:
            return self._withdraw(is_void)
        text = spoken_text(event["content"]) if event["type"] == "output.delta" else None
        if not text:
            return _NOTHING
        self._said.append((event, text))
        return Spoken(text, False) if self._shown is None else self._compare(self._shown, text)

    def end(self) -> Spoken:
        """The run has ended. What it didn't repeat is void."""
        return _NOTHING if self._shown is None else self._begin_anew()

    def _withdraw(self, is_void: Callable[[Event], bool]) -> Spoken:
        shown = self._standing() if self._shown is None else self._shown
        self._said = [(event, text) for event, text in self._said if not is_void(event)]
        standing = self._standing()
        if not shown.startswith(standing):
            return self._begin_anew()
        self._shown = None if standing == shown else shown
        self._repeated = len(standing)
        return _NOTHING

    def _compare(self, shown: str, text: str) -> Spoken:
        expected = shown[self._repeated : self._repeated + len(text)]
        if not text.startswith(expected):
            return self._begin_anew()
        self._repeated += len(expected)
        if self._repeated == len(shown):
            self._shown = None
        return Spoken(text[len(expected) :], False)

    def _begin_anew(self) -> Spoken:
        self._shown = None
        return Spoken(self._standing(), True)

    def _standing(self) -> str:
        return "".join(text for _event, text in self._said)
