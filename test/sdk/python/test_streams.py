"""The stream machine: the table of cases of all clients, and answers that are cut."""

from __future__ import annotations

import asyncio
import base64
import copy
import hashlib
import hmac
import itertools
import json
import pickle
import threading
import time
import unittest
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock, patch

import httpx
from runfleet_sdk import (
    ApiError,
    AsyncRunfleet,
    NotFoundError,
    RateLimitError,
    Runfleet,
    RunfleetError,
    StreamLostError,
    Transcript,
    UnreachableError,
    WebhookError,
    verify_webhook,
)
from runfleet_sdk._errors import api_error, ended_error
from runfleet_sdk._sse import Message, SseParser
from runfleet_sdk._transcript import RunText, parse_event_id

TABLE = Path(__file__).parents[2] / "api" / "stream" / "projections" / "stream-cases.json"


def events_of(case: dict[str, Any]) -> list[dict[str, Any]]:
    """Returns the events of a case as they come from the service."""
    found: list[dict[str, Any]] = []
    for event in case["events"]:
        ident = parse_event_id(event["id"])
        assert ident
        found.append({**event, "attempt": ident.attempt, "seq": ident.seq})
    return found


def speak(events: list[dict[str, Any]]) -> tuple[str, int]:
    """Returns what a terminal shows, and how often it had to begin anew."""
    machine = RunText()
    shown, restarts = "", 0
    for text, is_anew in [*map(machine.push, events), machine.end()]:
        if is_anew:
            shown, restarts = "", restarts + 1
        shown += text
    return shown, restarts


def said(attempt: int, *texts: str) -> list[dict[str, Any]]:
    """Returns the output of an attempt."""
    return [
        {"type": "output.delta", "attempt": attempt, "seq": at + 2, "content": text} for at, text in enumerate(texts)
    ]


def again(attempt: int) -> list[dict[str, Any]]:
    """Returns the start of an attempt that makes all before it void."""
    return [{"type": "run.started", "attempt": attempt, "seq": 1, "discards": {"attempt": attempt - 1}}]


class Cases(unittest.TestCase):
    """What a reader shows."""

    def test_table(self) -> None:
        """Every case of the table: a transcript has what stands, and a text has each thing once"""
        for case in json.loads(TABLE.read_text()):
            with self.subTest(case["name"]):
                transcript = Transcript()
                for event in events_of(case):
                    transcript.push(event)
                self.assertEqual(transcript.text, case["shown"])
                self.assertEqual(speak(events_of(case))[0], case["shown"])

    def test_repetition(self) -> None:
        """What a run that starts again repeats is not shown again; at the first difference the text begins anew"""
        self.assertEqual(speak([*said(1, "Hel"), *again(2), *said(2, "H", "ello, ", "Ada")]), ("Hello, Ada", 0))
        self.assertEqual(speak([*said(1, "Hello, Bob"), *again(2), *said(2, "Hello, ", "Ada")]), ("Hello, Ada", 1))
        self.assertEqual(speak([*said(1, "Hello"), *again(2), *said(2, "Hel")]), ("Hel", 1))

    def test_bytes(self) -> None:
        """A stream of events is read the same wherever its bytes are cut"""
        raw = "retry: 3000\n\n: ping\n\nid: 1-1\r\nevent: x\ndata: é€😀\ndata: b\n\ndata:c\n\nid: 1-2\n\n".encode()
        whole = [Message("1-1", "é€😀\nb"), Message(None, "c")]
        for at in range(len(raw)):
            parser = SseParser()
            self.assertEqual(parser.feed(raw[:at]) + parser.feed(raw[at:]), whole)
            self.assertEqual(parser.retry, 3)


Answer = Callable[[], "tuple[int, dict[str, str], bytes]"]


class Scripted:
    """A service that answers each request by the next of `answers`, and then by the last one."""

    def __init__(self, *answers: Answer) -> None:
        self.seen: list[tuple[str, str, dict[str, str]]] = []
        seen = self.seen

        class Handler(BaseHTTPRequestHandler):
            def answer(self) -> None:
                self.rfile.read(int(self.headers.get("content-length") or 0))
                seen.append((self.command, self.path, {key.lower(): value for key, value in self.headers.items()}))
                status, headers, body = answers[min(len(seen), len(answers)) - 1]()
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            do_GET = do_POST = answer

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        """Ends the service."""
        self._server.shutdown()
        self._server.server_close()


def sse(*events: dict[str, Any]) -> Answer:
    """Returns an answer that ends in order after these events."""
    body = "".join(f"id: {event['attempt']}-{event['seq']}\ndata: {json.dumps(event)}\n\n" for event in events)
    return lambda: (200, {"content-type": "text/event-stream"}, body.encode())


def refusal(status: int, code: str, **headers: str) -> Answer:
    """Returns an answer that refuses."""
    return lambda: (status, headers, json.dumps({"detail": "No.", "code": code}).encode())


def delta(seq: int) -> dict[str, Any]:
    """Returns an output."""
    return {"type": "output.delta", "attempt": 1, "seq": seq, "content": str(seq)}


def success(seq: int) -> dict[str, Any]:
    """Returns an end."""
    return {"type": "run.success", "attempt": 1, "seq": seq, "status": "success", "result_content": seq}


class Answers(unittest.TestCase):
    """What a client makes of answers, in both worlds."""

    def scripted(self, *answers: Answer) -> Scripted:
        """Opens a service for this test."""
        service = Scripted(*answers)
        self.addCleanup(service.close)
        return service

    def test_cuts(self) -> None:
        """A stream that ends in order without its last event was cut; an event that comes twice is given once"""
        for read in (self.read, self.read_async):
            service = self.scripted(sse(delta(1), delta(2)), sse(delta(2), delta(3)), sse(success(4)))
            self.assertEqual(read(service.url), ([1, 2, 3, 4], 4))
            cursors = [headers.get("last-event-id") for _method, _path, headers in service.seen]
            self.assertEqual(cursors, [None, "1-2", "1-3"])

    def test_holes(self) -> None:
        """A hole is asked for again, and is an error when it stays; a gap that the service tells is an event"""
        gap = {"type": "gap", "attempt": 1, "seq": 5}
        for read in (self.read, self.read_async):
            mended = self.scripted(sse(delta(1), delta(3)), sse(delta(2), delta(3), success(4)))
            self.assertEqual(read(mended.url), ([1, 2, 3, 4], 4))
            self.assertEqual(read(self.scripted(sse(delta(1), gap, success(6))).url), ([1, 5, 6], 6))
            with self.assertRaises(StreamLostError) as lost:
                read(self.scripted(sse(delta(1), delta(3)), sse(delta(3))).url)
            self.assertEqual(lost.exception.last_event_id, "1-1")

    def test_quiet(self) -> None:
        """A quiet stream is not lost, however often it is cut; one that isn't answered for five minutes is"""
        clock = SimpleNamespace(monotonic=itertools.count(0, 400).__next__, sleep=Mock())
        with patch("runfleet_sdk._sync.stream.time", clock), patch("runfleet_sdk._async.stream.time", clock):
            for read in (self.read, self.read_async):
                quiet = self.scripted(sse(), sse(), sse(), sse(delta(1), success(2)))
                self.assertEqual(read(quiet.url), ([1, 2], 2))
                for away in (refusal(503, "dependency_unavailable"), refusal(200, "a proxy's page")):
                    with self.assertRaises(StreamLostError):
                        read(self.scripted(sse(delta(1)), away).url)

    def test_steady(self) -> None:
        """How long a connection may be silent grows with cuts, to a limit, and not after one with pings"""
        ping: Answer = lambda: (200, {"content-type": "text/event-stream"}, b": ping\n\n")  # noqa: E731
        for step, silences in ((0.001, [45, 45, 90, 135, 180, 180]), (20, [45] * 6)):
            service = self.scripted(*[ping] * 5, sse(success(1)))
            clock = SimpleNamespace(monotonic=itertools.count(0, step).__next__, sleep=Mock())
            with patch("runfleet_sdk._sync.stream.time", clock), patch("httpx.Timeout", wraps=httpx.Timeout) as limit:
                with Runfleet(service.url) as client:
                    self.assertEqual([event["seq"] for event in client.attach("r")], [1])
            self.assertEqual([call.args[0] for call in limit.call_args_list], silences)

    def test_refusals(self) -> None:
        """What a repetition doesn't mend ends a stream at once"""
        for read in (self.read, self.read_async):
            service = self.scripted(refusal(404, "run_not_found"))
            with self.assertRaises(NotFoundError):
                read(service.url)
            self.assertEqual(len(service.seen), 1)

    def test_repetitions(self) -> None:
        """A request is repeated where that does no harm, with the same key; another is not"""
        busy = refusal(503, "dependency_unavailable")
        keyed = self.scripted(busy, lambda: (200, {}, b'{"id": "a"}'))
        with Runfleet(keyed.url, "k") as client:
            client.agents.create({"user_id": "u", "name": "n"})
        first, second = (headers for _method, _path, headers in keyed.seen)
        self.assertRegex(first["idempotency-key"], r"^[\w-]{36}$")
        self.assertEqual(first["idempotency-key"], second["idempotency-key"])
        self.assertEqual(first["authorization"], "Bearer k")
        plain = self.scripted(busy)
        with Runfleet(plain.url) as client:
            self.assertRaises(ApiError, client.runs.complete, "r", {})
            self.assertEqual(len(plain.seen), 1)
            self.assertRaises(ApiError, client.runs.get, "r")
            self.assertEqual(len(plain.seen), 4)
        far = self.scripted(refusal(429, "rate_limited", **{"retry-after": "30"}))
        with Runfleet(far.url) as client, self.assertRaises(RateLimitError) as limited:
            client.runs.get("r")
        self.assertEqual((limited.exception.retry_after, len(far.seen)), (30, 1))
        with Runfleet("http://127.0.0.1:9") as client:
            self.assertRaises(UnreachableError, client.runs.get, "r")
            for odd in ("", ".", ".."):
                self.assertRaises(TypeError, client.runs.get, odd)
                self.assertRaises(TypeError, client.agents.delete_secret, "a", odd)
                self.assertRaises(TypeError, client.attach(odd).get)

    def test_answered_meanwhile(self) -> None:
        """A result is waited for while somebody else answers: a run that goes on has not failed"""
        record = b'{"status": "queued", "error": null, "interrupts": []}'
        over = refusal(204, "")
        for read in (self.read, self.read_async):
            service = self.scripted(over, over, lambda: (200, {}, record), sse(delta(1), success(2)))
            self.assertEqual(read(service.url), ([], 2))

    def test_redirections(self) -> None:
        """A redirection is an error that names the address, and a page that is no JSON is one, too"""
        moved: Answer = lambda: (301, {"location": "https://elsewhere/"}, b"")  # noqa: E731
        service = self.scripted(moved, lambda: (200, {}, b"<html>"))
        with Runfleet(service.url) as client:
            with self.assertRaisesRegex(ApiError, "https://elsewhere/"):
                client.runs.get("r")
            with self.assertRaisesRegex(RunfleetError, "no JSON"):
                client.runs.get("r")

    def test_pickled(self) -> None:
        """An error that is sent to another process is the same there, and so is a copy of it"""
        fault = {"code": "agent_error", "type": "ValueError", "message": "no", "traceback": None}
        asked = [{"message": "May I?", "reason": "approval"}]
        invalid = {"detail": [{"loc": ["body", "n"], "msg": "Too small.", "type": "x"}], "request_id": "req_1"}
        errors: list[RunfleetError] = [
            UnreachableError("No answer."),
            api_error(429, {"detail": "No.", "code": "rate_limited"}, {"retry-after": "3"}),
            api_error(422, invalid, {}),
            ended_error("r", "error", fault, []),
            ended_error("r", "timeout", None, []),
            ended_error("r", "interrupted", None, asked),
            StreamLostError("Lost.", "1-2"),
            WebhookError("No."),
        ]
        for error in errors:
            for again in (pickle.loads(pickle.dumps(error)), copy.copy(error)):
                with self.subTest(type(error).__name__):
                    self.assertEqual((type(again), again.args, vars(again)), (type(error), error.args, vars(error)))

    def test_places(self) -> None:
        """A list whose rows have a place instead of an id is read page after page, in both worlds"""
        first: Answer = lambda: (200, {}, b'{"data": [{"place": 4}], "has_more": true, "last_place": 4}')  # noqa: E731
        last: Answer = lambda: (200, {}, b'{"data": [{"place": 7}], "has_more": false, "last_place": 7}')  # noqa: E731
        service = self.scripted(first, last)
        with Runfleet(service.url) as client:
            self.assertEqual([step["place"] for step in client.runs.list_steps("r")], [4, 7])
            page = client.runs.list_steps("r").page("4")
        self.assertEqual((page.first_id, page.last_id), (None, "7"))
        asked = ["/v1/runs/r/steps", "/v1/runs/r/steps?after=4"]
        self.assertEqual([path for _method, path, _headers in service.seen][:2], asked)

        async def read(url: str) -> list[int]:
            async with AsyncRunfleet(url) as client:
                return [step["place"] async for step in client.runs.list_steps("r")]

        self.assertEqual(asyncio.run(read(self.scripted(first, last).url)), [4, 7])

    def test_odd_numbers(self) -> None:
        """What looks like a number and is none is neither a message's time nor a time to wait"""
        for odd in ("²", "9" * 5_000):
            headers = {"webhook-id": "m", "webhook-timestamp": odd, "webhook-signature": "v1,x"}
            self.assertRaises(WebhookError, verify_webhook, b"{}", headers, "whsec_AAAA")
            self.assertEqual(SseParser().feed(f"retry: {odd}\n\n".encode()), [])
        self.assertIsNone(api_error(503, None, {"retry-after": "²"}).retry_after)

    def test_empty_secret(self) -> None:
        """A secret that is empty, such as a variable that isn't set, accepts no message: anybody can sign with it"""
        for secret in ("", "whsec_"):
            sent, body = str(int(time.time())), b'{"type": "run.success"}'
            digest = hmac.new(b"", f"m.{sent}.".encode() + body, hashlib.sha256).digest()
            signature = f"v1,{base64.b64encode(digest).decode()}"
            headers = {"webhook-id": "m", "webhook-timestamp": sent, "webhook-signature": signature}
            with self.assertRaisesRegex(WebhookError, "empty"):
                verify_webhook(body, headers, secret)

    @staticmethod
    def read(url: str) -> tuple[list[int], Any]:
        """Reads a run."""
        with Runfleet(url) as client:
            run = client.attach("r")
            return [event["seq"] for event in run], run.result()

    @staticmethod
    def read_async(url: str) -> tuple[list[int], Any]:
        """Reads a run in asyncio's world."""

        async def read() -> tuple[list[int], Any]:
            async with AsyncRunfleet(url) as client:
                run = client.attach("r")
                return [event["seq"] async for event in run], await run.result()

        return asyncio.run(read())
