"""What the operations of the API are made of."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from typing import Any

from .._transcript import ENDS, place_event
from .pages import AsyncPages
from .stream import AsyncMessages, AsyncSource, read_stream
from .transport import AsyncTransport, new_key


class AsyncResource:
    """Operations of one area."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def _json(self, method: str, path: str, **more: Any) -> Any:
        return await self._transport.json(method, path, **more)

    async def _keyed(self, path: str, key: str | None, **more: Any) -> Any:
        headers = {**more.pop("headers", {}), "idempotency-key": key or new_key()}
        return await self._transport.json("POST", path, headers=headers, is_repeatable=True, **more)

    async def _bytes(self, path: str, **more: Any) -> bytes:
        return (await self._transport.send("GET", path, **more)).content

    def _pages(self, path: str, query: Mapping[str, Any]) -> AsyncPages[Any]:
        async def read(after: str | None) -> Any:
            return await self._transport.json("GET", path, query={**query, "after": after})

        return AsyncPages(read, query.get("after"))

    async def _stream(self, path: str, query: Mapping[str, Any], *, is_run: bool) -> AsyncIterator[Any]:
        more = {name: value for name, value in query.items() if name != "after"}

        async def open_stream(last: str | None, silence: float) -> AsyncMessages:
            return await self._transport.open("GET", path, last=last, silence=silence, query=more)

        def is_end(event: Any) -> bool:
            return is_run and event["type"] in ENDS

        def place(last: str | None, event: Any) -> str:
            return place_event(last, event) if is_run else "next"

        async for _ident, event in read_stream(AsyncSource(open_stream, is_end, place), query.get("after")):
            yield event
