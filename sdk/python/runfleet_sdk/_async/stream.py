"""Reads a stream over any cut."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, NamedTuple

import httpx

from .._errors import ApiError, UnreachableError, is_transient
from .._shared import Cursor, Patience, parse_json
from .._sse import Message, SseParser


class AsyncMessages:
    """The answer to a request for a stream."""

    def __init__(self, response: httpx.Response) -> None:
        self._response = response
        self._parser = SseParser()
        self.heard_at = time.monotonic()
        """When the last bytes came."""

    @property
    def is_over(self) -> bool:
        """True when there is nothing left to read."""
        return self._response.status_code == 204

    @property
    def is_stream(self) -> bool:
        """False for what a proxy answers in the service's place."""
        return self._response.headers.get("content-type", "").startswith("text/event-stream")

    @property
    def retry(self) -> float:
        """What the service asks to wait before the next connection, in seconds."""
        return self._parser.retry

    async def __aiter__(self) -> AsyncIterator[Message]:
        try:
            async for chunk in self._response.aiter_bytes():
                self.heard_at = time.monotonic()
                for message in self._parser.feed(chunk):
                    yield message
        except httpx.TransportError as error:
            raise UnreachableError("The connection was lost.") from error

    async def aclose(self) -> None:
        """Closes the connection."""
        await self._response.aclose()


class AsyncSource(NamedTuple):
    """`open` opens the stream after the event with this id. `place` says what a message means after it."""

    open: Callable[[str | None, float], Awaitable[AsyncMessages]]
    is_end: Callable[[Any], bool]
    place: Callable[[str | None, Any], str]


async def read_stream(source: AsyncSource, after: str | None) -> AsyncIterator[tuple[str | None, Any]]:
    """Yields the messages of a stream, each once and in order, whatever is cut: id and event.

    A stream ends by its last event, or by a 204; a connection that ends otherwise was cut, even if it ended in
    order. It is resumed after the last message that was read. Raises StreamLostError, and ApiError for what a
    repetition doesn't mend.
    """
    cursor = Cursor(after)
    patience = Patience()
    while True:
        failure: Exception | None = None
        try:
            messages = await source.open(cursor.last, patience.silence())
            try:
                if messages.is_over:
                    return
                if messages.is_stream:
                    patience.note_answer(messages.heard_at)
                async for message in messages:
                    patience.retry = messages.retry
                    event = parse_json(message.data, "an event")
                    place = source.place(cursor.last, event)
                    cursor.take(message, place)
                    if place == "hole":
                        break
                    if place == "next":
                        patience.renew()
                        yield message.id, event
                        if source.is_end(event):
                            return
            finally:
                patience.note_bytes(messages.heard_at)
                await messages.aclose()
        except (ApiError, UnreachableError) as error:
            if not is_transient(error):
                raise
            failure = error
        await asyncio.sleep(patience.next_delay(time.monotonic(), failure, cursor.last))
