# An app's messages are of any type.
# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false, reportUnknownVariableType=false

from __future__ import annotations

import asyncio
from typing import Any

from _runfleet.web_apps import WebAppError, run_asgi, run_wsgi
from support import RuntimeTest


def answering(status: int, headers: dict[str, str], *parts: bytes) -> Any:
    """Returns an ASGI app that answers so. What its startup keeps is in its requests."""

    async def app(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "lifespan":
            scope["state"]["model"] = "loaded"
            await receive()
            await send({"type": "lifespan.startup.complete"})
            await receive()
            await send({"type": "lifespan.shutdown.complete"})
            return
        said = [(name.encode(), value.encode()) for name, value in headers.items()]
        await send({"type": "http.response.start", "status": status, "headers": said})
        for part in parts or (scope["state"]["model"].encode(),):
            await send({"type": "http.response.body", "body": part, "more_body": True})
        await send({"type": "http.response.body"})

    return app


class WebApps(RuntimeTest):
    def setUp(self) -> None:
        super().setUp()
        self.said: list[Any] = []

    def send(self, _: str, content: Any) -> None:
        self.said.append(content)

    def answer(self, status: int, headers: dict[str, str], *parts: bytes) -> Any:
        return asyncio.run(run_asgi(answering(status, headers, *parts), {}, self.send))

    def test_json(self) -> None:
        """JSON is the result as a whole; what isn't JSON is an error."""
        kind = {"content-type": "application/json"}
        self.assertEqual(self.answer(200, kind, b'\n{"a":', b"1}\n"), {"a": 1})
        for wrong in (b'{"a":1} {"a":2}', b"{", b" "):
            with self.subTest(wrong=wrong), self.assertRaisesRegex(WebAppError, "no JSON"):
                self.answer(200, kind, wrong)

    def test_lines(self) -> None:
        """Lines of JSON are output, one by one, wherever they are cut."""
        for kind in ("application/x-ndjson", "application/jsonl"):
            self.said.clear()
            self.assertIsNone(self.answer(200, {"content-type": kind}, b'{"a":1}\n{"a"', b":2}\n\n3"))
            self.assertEqual(self.said, [{"a": 1}, {"a": 2}, 3])

    def test_redirection(self) -> None:
        """A redirection is an error that names the place."""
        with self.assertRaisesRegex(WebAppError, "answered 307, a redirection to /chat/"):
            self.answer(307, {"location": "/chat/"}, b"")

        def app(_: Any, start_response: Any) -> list[bytes]:
            start_response("308 Permanent Redirect", [("Location", "/chat/")])
            return []

        with self.assertRaisesRegex(WebAppError, "answered 308, a redirection to /chat/"):
            run_wsgi(app, {}, self.send)

    def test_state(self) -> None:
        """What an app's startup keeps is there in its request."""
        self.assertIsNone(self.answer(200, {"content-type": "text/plain"}))
        self.assertEqual(self.said, ["loaded"])
