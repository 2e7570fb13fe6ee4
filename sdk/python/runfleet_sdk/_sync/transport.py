# Written by `npm run openapi` from the module of this name in _async. Do not edit.
# ruff: noqa
"""Sends requests to one service."""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Mapping
from typing import Any

import httpx

from .._errors import UnreachableError, api_error
from .._shared import ANSWER_TIMEOUT, MAX_TRIES, asked_wait, is_worth_retry, parse_json, query_pairs, retry_delay
from .stream import Messages


class Transport:
    """Sends requests, again where that does no harm and may help."""

    def __init__(self, url: str, headers: Mapping[str, str], http: httpx.Client) -> None:
        self.url = url
        self._headers = headers
        self._http = http

    def send(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, Any] | None = None,
        body: Any = None,
        headers: Mapping[str, str | None] | None = None,
        is_repeatable: bool | None = None,
    ) -> httpx.Response:
        """Returns a good answer. Raises ApiError or UnreachableError. `is_repeatable`: else all but POST."""
        repeatable = method != "POST" if is_repeatable is None else is_repeatable
        request = self._build(method, path, query=query, body=body, headers=headers, timeout=ANSWER_TIMEOUT)
        tries = 0
        while True:
            try:
                return self._send_once(request, is_stream=False)
            except Exception as failure:
                tries += 1
                if tries >= MAX_TRIES or not is_worth_retry(failure, repeatable):
                    raise
                delay = max(retry_delay(tries - 1), asked_wait(failure))
            time.sleep(delay)

    def json(self, method: str, path: str, **more: Any) -> Any:
        """Returns the JSON of an answer; None when it has none."""
        response = self.send(method, path, **more)
        return parse_json(response.content, "an answer") if response.content else None

    def open(
        self,
        method: str,
        path: str,
        *,
        last: str | None,
        silence: float,
        query: Mapping[str, Any] | None = None,
        body: Any = None,
    ) -> Messages:
        """Opens a stream of Server-Sent Events after the event with this id. Sends one request."""
        headers = {"accept": "text/event-stream", "last-event-id": last}
        request = self._build(method, path, query=query, body=body, headers=headers, timeout=silence)
        return Messages(self._send_once(request, is_stream=True))

    def _build(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, Any] | None,
        body: Any,
        headers: Mapping[str, str | None] | None,
        timeout: float,
    ) -> httpx.Request:
        given = {name: value for name, value in {**self._headers, **(headers or {})}.items() if value is not None}
        content: bytes | None = None
        if isinstance(body, bytes):
            content, given["content-type"] = body, "application/gzip"
        elif body is not None:
            content, given["content-type"] = json.dumps(body).encode(), "application/json"
        pairs = query_pairs(query)
        url = f"{self.url}{path}"
        return self._http.build_request(
            method, url, params=pairs or None, content=content, headers=given, timeout=httpx.Timeout(timeout)
        )

    def _send_once(self, request: httpx.Request, *, is_stream: bool) -> httpx.Response:
        try:
            response = self._http.send(request, stream=is_stream)
            # httpx follows no redirection by itself.
            if response.status_code < 300:
                return response
            text = response.read()
        except httpx.TransportError as error:
            raise UnreachableError(f"No answer from {self.url}: {error!r}") from error
        response.close()
        try:
            body = json.loads(text)
        except ValueError:
            body = None
        raise api_error(response.status_code, body, response.headers)


def new_key() -> str:
    """Returns an Idempotency-Key."""
    return str(uuid.uuid4())
