"""What the clients of both worlds share."""

from __future__ import annotations

import base64
import json
import os
import random
import uuid
from collections.abc import Mapping, Sequence
from typing import Any, cast
from urllib.parse import quote

from ._errors import ApiError, RateLimitError, RunfleetError, StreamLostError, is_transient
from ._sse import Message

MAX_TRIES = 3
"""How often a request is sent at most."""
LONGEST_WAIT = 10.0
"""In seconds. Whether to wait longer before a request is repeated is the caller's decision."""
ANSWER_TIMEOUT = 120.0
SILENCE = 45.0
"""The service sends a ping every 15 s. A connection on which nothing comes for so long is dead."""
LONGEST_SILENCE = 180.0
"""After several cuts it is longer, up to this time: a proxy may hold pings back."""
STEADY = 10.0
"""A connection on which something still comes after this time is a good one."""
PATIENCE = 300.0
"""How long a stream is tried to be resumed, from when it was cut until the service answers with a stream again."""
FIRST_PATIENCE = 15.0
"""The same until the first such answer: perhaps nothing is there."""


def base_url(url: str | None) -> str:
    """Returns the address of the service, without a slash at its end."""
    return (url or os.environ.get("RUNFLEET_URL") or "http://127.0.0.1:8080").rstrip("/")


def auth_headers(api_key: str | None) -> dict[str, str]:
    """Returns the headers that say who asks."""
    key = api_key or os.environ.get("RUNFLEET_API_KEY")
    return {"authorization": f"Bearer {key}"} if key else {}


def fill_path(template: str, *values: str) -> str:
    """Returns a path with its values.

    Raises TypeError for one that would make it the path of another operation: of `/secrets/..` a URL makes `/`.
    """
    for value in values:
        if not isinstance(value, str) or value in ("", ".", ".."):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise TypeError(f"A value of {template} must be a text that is not empty, and neither '.' nor '..'.")
    return template.format(*(quote(value, safe="") for value in values))


def query_pairs(query: Mapping[str, Any] | None) -> list[tuple[str, str]]:
    """`metadata={"a": 1}` becomes `metadata[a]=1`, `status=["error", "timeout"]` becomes `status=error,timeout`."""
    pairs: list[tuple[str, str]] = []
    for name, value in (query or {}).items():
        if isinstance(value, Mapping):
            inner = cast("Mapping[str, Any]", value)
            pairs.extend((f"{name}[{key}]", _scalar(one)) for key, one in inner.items())
        elif isinstance(value, (list, tuple)):
            several = cast("Sequence[Any]", value)
            pairs.append((name, ",".join(_scalar(one) for one in several)))
        elif value is not None:
            pairs.append((name, _scalar(value)))
    return pairs


def _scalar(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def encode_files(files: Mapping[str, str | bytes]) -> dict[str, str]:
    """Returns files as a request has them: text as it is, anything else as a data URL."""
    return {name: _encode_file(content) for name, content in files.items()}


def _encode_file(content: str | bytes) -> str:
    # The service would read a text like `data:…` as a data URL.
    if isinstance(content, str) and not content.startswith("data:"):
        return content
    raw = content.encode() if isinstance(content, str) else content
    return f"data:application/octet-stream;base64,{base64.b64encode(raw).decode()}"


def new_run_id() -> str:
    """Returns an id for a new run."""
    return f"run_{uuid.uuid4().hex}"


def retry_delay(failures: int, at_least: float = 0) -> float:
    """Returns a random time before the next try, so that many clients don't come back at once."""
    return random.random() * min(10.0, max(at_least, 0.25 * 2 ** min(failures, 10)))


def asked_wait(failure: Exception | None) -> float:
    """Returns what the service asks to wait, up to a minute."""
    return min(failure.retry_after or 0, 60.0) if isinstance(failure, ApiError) else 0


def is_worth_retry(failure: Exception, is_repeatable: bool) -> bool:
    """True when the same request may succeed later. A 429 was refused before anything was done."""
    if isinstance(failure, ApiError) and (failure.retry_after or 0) > LONGEST_WAIT:
        return False
    return isinstance(failure, RateLimitError) or (is_repeatable and is_transient(failure))


class Cursor:
    """Knows the last message that was read. A hole is asked for once more; when it is still there, it is an error."""

    def __init__(self, after: str | None) -> None:
        self.last = after
        self._hole_after: str | None = None
        self._has_hole = False

    def take(self, message: Message, place: str) -> None:
        """Goes to a message whose place is known."""
        if place == "hole":
            if self._has_hole and self._hole_after == self.last:
                raise StreamLostError(f"Events are missing after {self.last}.", self.last)
            self._hole_after, self._has_hole = self.last, True
        # As browsers do: an event without an id leaves the cursor where it is, and an empty one clears it.
        elif place == "next" and message.id is not None:
            self.last = message.id or None


class Patience:
    """Knows how often a stream was cut, and since when the service doesn't answer with one."""

    def __init__(self) -> None:
        self.failures = 0
        """Cuts since the last message, or since the last ping of a good connection."""
        self.retry = 0.0
        self._answered_at: float | None = None
        self._cut_at: float | None = None
        self._has_begun = False

    def silence(self) -> float:
        """Returns how long a connection may be silent."""
        return min(LONGEST_SILENCE, SILENCE * max(1, self.failures))

    def note_answer(self, now: float) -> None:
        """The service has answered with a stream. A quiet stream is no lost one."""
        self._answered_at, self._cut_at, self._has_begun = now, None, True

    def note_bytes(self, at: float) -> None:
        """Something has come, if only a ping. What comes with the answer doesn't tell that the connection stays."""
        if self._answered_at is not None and at - self._answered_at > STEADY:
            self.failures = 0

    def renew(self) -> None:
        """A message has come."""
        self.failures = 0

    def next_delay(self, now: float, failure: Exception | None, last: str | None) -> float:
        """Returns the time until the next try. Raises StreamLostError when the stream was cut for too long."""
        self._answered_at = None
        self._cut_at = now if self._cut_at is None else self._cut_at
        if failure and not self._has_begun and now - self._cut_at > FIRST_PATIENCE:
            raise failure
        if now - self._cut_at > PATIENCE:
            raise StreamLostError("The stream was cut and could not be resumed.", last) from failure
        # The first try is at once: most cuts are of one connection. Then the service's own delay holds.
        delay = retry_delay(self.failures, self.retry if self.failures else 0)
        self.failures += 1
        return max(delay, asked_wait(failure))


def parse_json(data: str | bytes, what: str) -> Any:
    """Returns the value. Raises RunfleetError for what is no JSON, and so isn't of the service."""
    try:
        return json.loads(data)
    except ValueError:
        raise RunfleetError(f"The service sent {what} that is no JSON: {data[:200]!r}") from None
