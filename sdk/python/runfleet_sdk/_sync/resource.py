# Written by `npm run openapi` from the module of this name in _async. Do not edit.
# ruff: noqa
"""What the operations of the API are made of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from .._transcript import ENDS, place_event
from .pages import Pages
from .stream import Messages, Source, read_stream
from .transport import Transport, new_key


class Resource:
    """Operations of one area."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def _json(self, method: str, path: str, **more: Any) -> Any:
        return self._transport.json(method, path, **more)

    def _keyed(self, path: str, key: str | None, **more: Any) -> Any:
        headers = {**more.pop("headers", {}), "idempotency-key": key or new_key()}
        return self._transport.json("POST", path, headers=headers, is_repeatable=True, **more)

    def _bytes(self, path: str, **more: Any) -> bytes:
        return (self._transport.send("GET", path, **more)).content

    def _pages(self, path: str, query: Mapping[str, Any]) -> Pages[Any]:
        def read(after: str | None) -> Any:
            return self._transport.json("GET", path, query={**query, "after": after})

        return Pages(read, query.get("after"))

    def _stream(self, path: str, query: Mapping[str, Any], *, is_run: bool) -> Iterator[Any]:
        more = {name: value for name, value in query.items() if name != "after"}

        def open_stream(last: str | None, silence: float) -> Messages:
            return self._transport.open("GET", path, last=last, silence=silence, query=more)

        def is_end(event: Any) -> bool:
            return is_run and event["type"] in ENDS

        def place(last: str | None, event: Any) -> str:
            return place_event(last, event) if is_run else "next"

        for _ident, event in read_stream(Source(open_stream, is_end, place), query.get("after")):
            yield event
