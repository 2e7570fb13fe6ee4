"""Drives the SDK for a test: `drive.py use URL`, `drive.py call URL`, `drive.py verify`.

What was found is printed as JSON.
"""

from __future__ import annotations

import asyncio
import inspect
import json
import sys
import threading
from typing import Any

from runfleet_sdk import (
    ApiError,
    AsyncRunfleet,
    InvalidError,
    NotFoundError,
    RunFailedError,
    Runfleet,
    RunInterruptedError,
    RunTimeoutError,
    WebhookError,
    verify_webhook,
)


def caught(act: Any) -> Any:
    """Returns what a call raises."""
    try:
        return act()
    except Exception as error:
        return error


def use(url: str) -> dict[str, Any]:
    """Does what the guide shows."""
    found: dict[str, Any] = {}
    with Runfleet(url) as client:
        files: dict[str, str | bytes] = {"note.txt": "data: no URL", "bytes.bin": b"\0\xff"}
        run = client.run("talker", {"what": "files"}, files=files, metadata={"from": "python"})
        found["text"] = "".join(run.text())
        found["result"] = run.result()
        found["file"] = run.download(run.artifacts()[0]).decode()
        found["again"] = client.attach(run.id, after=run.last_event_id).result()
        found["metadata"] = run.get().get("metadata")
        found["events"] = [event["id"] for event in client.runs.list_events(run.id)][:2]
        asks = client.run("talker", {"what": "ask"})
        error = caught(asks.result)
        found["asked"] = isinstance(error, RunInterruptedError) and error.interrupts[0]["message"]
        asks.resume("Yes. ")
        found["answered"] = asks.result()
        found["whole"] = "".join(client.attach(asks.id).text())
        failed = caught(client.run("talker", {"what": "fail"}).result)
        found["failed"] = [isinstance(failed, RunFailedError), failed.code, failed.error["type"]]
        late = caught(client.run("talker", {"what": "stay"}, timeout_ms=300).result)
        found["late"] = isinstance(late, RunTimeoutError)
        found["missing"] = isinstance(caught(lambda: client.runs.get("nobody")), NotFoundError)
        invalid = caught(client.run("talker", timeout_ms=-1, tags=[""]).result)
        found["places"] = sorted(issue.place for issue in invalid.issues) if isinstance(invalid, InvalidError) else None
        thread = client.thread("t-python", agent="talker")
        thread.send().result()
        thread.send().result()
        found["turns"] = len(list(client.threads.list_runs("t-python")))
        listed = [one["id"] for one in client.agents.list_runs("talker", limit=2)]
        found["listed"] = [len(listed) > 4, len(set(listed)) == len(listed)]
        changes = client.runs.stream_changes(thread_id="t-changes")
        begun = next(changes)["type"]
        followed = client.run("talker", {"what": "fail"}, thread_id="t-changes")
        caught(followed.result)
        found["changes"] = [begun, next(changes).get("id") == followed.id]
        client.agents.create(
            {"user_id": "ada", "id": "stays", "name": "stays", "config": {"source": "def on_message(): 1"}}
        )
        client.daemons.create({"agent_id": "stays"})
        for event in client.daemons.stream("stays"):
            if "message" in event:
                found["daemon"] = event["stream"]
                break
        filtered = client.runs.list(limit=1, metadata={"from": "python"}).page()
        found["filtered"] = [one["id"] == run.id for one in filtered.data]
    return found


def call(url: str) -> list[dict[str, Any]]:
    """Calls operations, in both worlds: `[resource, name, arguments, named arguments]` of each, as JSON on stdin."""
    calls = json.load(sys.stdin)
    with Runfleet(url) as client:
        outcomes = [within(lambda one=one: perform(client, *one)) for one in calls]

    async def call_async() -> list[dict[str, Any]]:
        async with AsyncRunfleet(url) as awaiting:
            return [await perform_async(awaiting, *one) for one in calls]

    return [*outcomes, *asyncio.run(call_async())]


def within(act: Any) -> dict[str, Any]:
    """Streams that begin with what is to come are left after a moment."""
    outcome: dict[str, Any] = {"left": True}
    worker = threading.Thread(target=lambda: outcome.update(act()), daemon=True)
    worker.start()
    worker.join(0.3 if act.__defaults__[0][1] == "stream" else 30)
    return dict(outcome)


def perform(client: Runfleet, resource: str, name: str, given: list[Any], named: dict[str, Any]) -> dict[str, Any]:
    """Calls an operation: its answer, the first page of a list, or the first event of a stream."""
    try:
        answer = getattr(getattr(client, resource), name)(*given, **named)
        if hasattr(answer, "page"):
            answer.page()
        elif inspect.isgenerator(answer):
            next(answer, None)
    except ApiError as error:
        return {"status": error.status, "code": error.code}
    return {}


async def perform_async(
    client: AsyncRunfleet, resource: str, name: str, given: list[Any], named: dict[str, Any]
) -> dict[str, Any]:
    """The same in asyncio's world."""
    try:
        answer = getattr(getattr(client, resource), name)(*given, **named)
        if hasattr(answer, "page"):
            await answer.page()
        elif inspect.isasyncgen(answer):
            await asyncio.wait_for(answer.__anext__(), 0.3)
        else:
            await answer
    except ApiError as error:
        return {"status": error.status, "code": error.code}
    except (asyncio.TimeoutError, StopAsyncIteration):
        return {"left": True}
    return {}


def verify() -> str:
    """Checks a webhook: its body, headers and secret are JSON on stdin."""
    sent = json.load(sys.stdin)
    try:
        return verify_webhook(sent["body"], sent["headers"], sent["secret"])["type"]
    except WebhookError:
        return "refused"


def main(act: str, *given: str) -> Any:
    """Does what is asked."""
    if act == "verify":
        return verify()
    return use(*given) if act == "use" else call(*given)


print(json.dumps(main(*sys.argv[1:])))
