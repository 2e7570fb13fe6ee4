"""Server-Sent Events (WHATWG HTML 9.2), from bytes that are cut anywhere."""

from __future__ import annotations

from typing import NamedTuple


def is_number(text: str) -> bool:
    """True for digits. `isdigit` alone takes `²`, which is no number."""
    return text.isascii() and text.isdigit()


class Message(NamedTuple):
    """`id` is None for a message without one."""

    id: str | None
    data: str


class SseParser:
    """Takes bytes and gives the messages that are complete."""

    def __init__(self) -> None:
        self.retry: float = 0
        """What the service asks to wait before the next connection, in seconds."""
        self._rest = b""
        self._id: str | None = None
        self._data: list[str] = []

    def feed(self, chunk: bytes) -> list[Message]:
        """Returns the messages that this chunk completes."""
        *lines, self._rest = (self._rest + chunk).split(b"\n")
        messages: list[Message] = []
        for line in lines:
            text = line.rstrip(b"\r").decode("utf-8", "replace")
            if text:
                self._take(*text.partition(":")[::2])
            else:
                messages.extend(self._finish())
        return messages

    def _take(self, name: str, value: str) -> None:
        value = value.removeprefix(" ")
        if name == "data":
            self._data.append(value)
        elif name == "id":
            self._id = value
        elif name == "retry" and is_number(value):
            self.retry = float(value) / 1000

    def _finish(self) -> list[Message]:
        data, ident = self._data, self._id
        self._data, self._id = [], None
        return [Message(ident, "\n".join(data))] if data else []
