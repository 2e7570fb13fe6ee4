"""Runs a web app's handler once: the input is the body of one request, the response is the output or the result."""

# An agent's objects are of any type.
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false

from __future__ import annotations

from _runfleet.arguments import parameters
from _runfleet.encode_json import encode, scan

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Send = Callable[..., None]

SHOWN_CHARS = 2_000
JSON_LINES = ("ndjson", "jsonl", "json-lines", "jsonlines")  # Parts of content types.


class WebAppError(Exception):
    pass


def is_asgi(found: Any) -> bool:
    """True for an ASGI app, such as FastAPI's, as a function or as an object."""
    return callable(found) and not isinstance(found, type) and names_of(found)[:3] == ("scope", "receive", "send")


def is_wsgi(found: Any) -> bool:
    """True for a WSGI app, such as Flask's."""
    return callable(found) and not isinstance(found, type) and names_of(found)[:2] == ("environ", "start_response")


def names_of(found: Any) -> tuple[str, ...]:
    if hasattr(found, "__code__"):
        return parameters(found).positional
    called: Any = vars_of(type(found)).get("__call__")
    return parameters(called).positional[1:] if hasattr(called, "__code__") else ()


def vars_of(kind: type) -> dict[str, Any]:
    """Returns the attributes of a class and of those that it inherits from."""
    return {name: value for base in reversed(kind.__mro__) for name, value in vars(base).items()}


class Request:
    """POST / with the input as JSON. An input with `path` says itself: method, path, query, headers, body."""

    def __init__(self, input: Any) -> None:
        own = input if isinstance(input, dict) and str(input.get("path", "")).startswith("/") else {}
        self.is_own = bool(own)
        self.method = str(own.get("method") or "POST").upper()
        self.path, _, query = str(own.get("path") or "/").partition("?")
        self.query = str(own.get("query") or query)
        body = own.get("body") if own else input
        self.body = b"" if body is None else body.encode() if isinstance(body, str) else encode(body)
        headers = own.get("headers")
        given: dict[str, Any] = headers if isinstance(headers, dict) else {}
        self.headers = {"host": "agent", "content-type": "application/json", "content-length": str(len(self.body))}
        self.headers.update({str(name).lower(): str(value) for name, value in given.items()})


class Response:
    """Collects a response. Text and lines of JSON are sent as output as they come; other JSON is the result."""

    def __init__(self, request: Request, send: Send) -> None:
        self.request, self.send = request, send
        self.status, self.type, self.location, self.body = 0, "", "", b""
        import codecs

        self.decode = codecs.getincrementaldecoder("utf-8")("replace").decode

    def begin(self, status: int, headers: list[tuple[str, str]]) -> None:
        self.status = status
        named = {name.lower(): value for name, value in headers}
        self.type, self.location = named.get("content-type", ""), named.get("location", "")

    @property
    def streams(self) -> bool:
        return self.status < 400 and self.type.startswith("text/")

    @property
    def has_lines(self) -> bool:
        return self.status < 400 and any(name in self.type for name in JSON_LINES)

    def take(self, data: bytes) -> None:
        if not self.streams:
            self.body += data
            if self.has_lines:
                *lines, self.body = self.body.split(b"\n")
                self.send_lines(lines)
        elif text := self.decode(data):
            self.send("output", content=text)

    def send_lines(self, lines: list[bytes]) -> None:
        for line in lines:
            if text := line.decode("utf-8", "replace").strip():
                self.send("output", content=parse_whole(text))

    def result(self) -> Any:
        if self.status == 0:
            raise WebAppError("The app sent no response.")
        text = self.body.decode("utf-8", "replace")
        if self.status >= 400:
            asked = f"{self.request.method} {self.request.path}"
            is_path_wrong = self.status in (404, 405) and not self.request.is_own
            cure = ' The input may name the path: {"path": "/chat", "body": {…}}.' if is_path_wrong else ""
            raise WebAppError(f"The app answered {self.status} to {asked}: {text[:SHOWN_CHARS]}{cure}")
        if self.status >= 300 and self.location:
            cure = 'Name that path in the input: {"path": …, "body": {…}}.'
            raise WebAppError(f"The app answered {self.status}, a redirection to {self.location}. {cure}")
        if self.has_lines:
            self.send_lines([self.body])
            return None
        if not self.body:
            return None
        return parse_whole(text.strip()) if "json" in self.type else self.body


def parse_whole(text: str) -> Any:
    try:
        value, end = scan(text, 0)
    except (ValueError, StopIteration):
        value, end = None, -1
    if end != len(text):
        raise WebAppError(f"The app's answer is no JSON, though its content type says so: {text[:SHOWN_CHARS]}")
    return value


async def run_asgi(app: Any, input: Any, send: Send) -> Any:
    import asyncio

    request = Request(input)
    response = Response(request, send)
    state, stop = await start_lifespan(app)
    over = asyncio.Event()
    pending = [{"type": "http.request", "body": request.body, "more_body": False}]

    async def receive() -> Any:
        if pending:
            return pending.pop()
        await over.wait()
        return {"type": "http.disconnect"}

    async def take(message: Any) -> None:
        if message["type"] == "http.response.start":
            headers = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in message.get("headers", ())]
            response.begin(message["status"], headers)
        elif message["type"] == "http.response.body":
            response.take(bytes(message.get("body", b"")))
            if not message.get("more_body"):
                over.set()

    scope = {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": "1.1",
        "method": request.method,
        "scheme": "http",
        "path": request.path,
        "raw_path": request.path.encode(),
        "query_string": request.query.encode(),
        "root_path": "",
        "headers": [(name.encode("latin-1"), value.encode("latin-1")) for name, value in request.headers.items()],
        "client": ("127.0.0.1", 0),
        "server": ("agent", 80),
        "state": dict(state),
    }
    try:
        await app(scope, receive, take)
    finally:
        await stop()
    return response.result()


async def start_lifespan(app: Any) -> Any:
    """Runs an app's startup. Returns the state that it made, and a coroutine function that runs its shutdown.

    An app may have neither.
    """
    import asyncio

    events: asyncio.Queue[Any] = asyncio.Queue()
    answers: asyncio.Queue[Any] = asyncio.Queue()
    await events.put({"type": "lifespan.startup"})
    state: dict[str, Any] = {}
    scope = {"type": "lifespan", "asgi": {"version": "3.0", "spec_version": "2.0"}, "state": state}

    async def live() -> None:
        try:
            await app(scope, events.get, answers.put)
        except BaseException:
            pass  # The app has no lifespan.
        await answers.put({"type": "over"})

    task = asyncio.ensure_future(live())
    answered = await answers.get()
    if answered["type"] == "lifespan.startup.failed":
        raise WebAppError(f"The app could not start: {answered.get('message') or 'no reason was given'}.")

    async def stop() -> None:
        if not task.done():
            await events.put({"type": "lifespan.shutdown"})
            await answers.get()
            task.cancel()

    return state, stop


def run_wsgi(app: Any, input: Any, send: Send) -> Any:
    import io
    import sys

    request = Request(input)
    response = Response(request, send)
    environ: dict[str, Any] = {
        "REQUEST_METHOD": request.method,
        "SCRIPT_NAME": "",
        "PATH_INFO": request.path,
        "QUERY_STRING": request.query,
        "SERVER_NAME": "agent",
        "SERVER_PORT": "80",
        "SERVER_PROTOCOL": "HTTP/1.1",
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": "http",
        "wsgi.input": io.BytesIO(request.body),
        "wsgi.errors": sys.stderr,
        "wsgi.multithread": False,
        "wsgi.multiprocess": False,
        "wsgi.run_once": True,
    }
    for name, value in request.headers.items():
        key = name.upper().replace("-", "_")
        environ[key if key in ("CONTENT_TYPE", "CONTENT_LENGTH") else f"HTTP_{key}"] = value

    def start_response(status: str, headers: list[tuple[str, str]], _: Any = None) -> Any:
        response.begin(int(status.split(" ", 1)[0]), headers)
        return response.take

    parts = app(environ, start_response)
    try:
        for part in parts:
            response.take(part)
    finally:
        if hasattr(parts, "close"):
            parts.close()
    return response.result()
