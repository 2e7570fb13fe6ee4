# Written by `npm run openapi` from the module of this name in _async. Do not edit.
# ruff: noqa
"""A run, and a thread of runs."""

from __future__ import annotations

from collections.abc import Iterator, Callable, Mapping
from typing import TYPE_CHECKING, Any, cast

from .._errors import ended_error
from .._generated import Artifact, ResumedRun, Run, RunEvent
from .._shared import encode_files, fill_path
from .._transcript import ENDS, RunText, Spoken, place_event
from .stream import Messages, Source, read_stream
from .transport import Transport

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .._generated import RunOptions
    from .client import Runfleet


class RunHandle:
    """A run. It starts with the first thing that needs it: reading its events, `start()` or `result()`.

    The client has made its id, so a request whose answer is lost is sent again and finds the same run.
    """

    def __init__(
        self, transport: Transport, run_id: str, *, create: dict[str, Any] | None = None, after: str | None = None
    ) -> None:
        self.id = run_id
        self.last_event_id = after
        """The id of the last event that was read. `client.attach(id, after=…)` goes on after it, anywhere."""
        self._transport = transport
        self._create = create
        self._end: Any = None

    def __iter__(self) -> Iterator[RunEvent]:
        """Yields the run's events after the last one that was read, until the run ends or waits for an answer.

        A cut stream is resumed. Leaving the loop stops reading, and not the run.
        """
        if self._end is not None:
            return
        source = Source(self._open, _is_end, place_event)
        for ident, event in read_stream(source, self.last_event_id):
            self.last_event_id = ident or self.last_event_id
            if _is_end(event):
                self._end = event
            yield event

    def text(self, on_restart: Callable[[], None] | None = None) -> Iterator[str]:
        """Yields the run's text as it comes, each thing once.

        `on_restart`: what was given so far is void; the text begins anew.
        """
        machine = RunText()
        for event in self:
            text = _tell(machine.push(event), on_restart)
            if text:
                yield text
        text = _tell(machine.end(), on_restart)
        if text:
            yield text

    def result(self) -> Any:
        """Waits for the run's end and returns its result.

        Raises RunFailedError, RunTimeoutError, RunCancelledError or RunExpiredError, and RunInterruptedError while
        the run waits for an answer.
        """
        while True:
            for _event in self:
                pass
            end: Any = self._end if self._end is not None else self.get()
            status: str = end["status"]
            if status == "success":
                return end["result_content"]
            # A question ends the reading. Somebody may have answered it by now: then the run goes on.
            if status == "interrupted" or f"run.{status}" in ENDS:
                raise ended_error(self.id, status, end["error"], end.get("interrupts") or [])

    def start(self) -> Run:
        """Starts the run without reading it. Returns its record."""
        run = self._transport.json(
            "POST", "/v1/execute", body=self._new(), headers={"prefer": "respond-async"}, is_repeatable=True
        )
        self._create = None
        return run

    def get(self) -> Run:
        """Returns the run's record as it is now."""
        return self._transport.json("GET", self._path())

    def cancel(self) -> Run:
        """Cancels the run. A run that has ended stays as it is."""
        return self._transport.json("POST", self._path("/cancel"), is_repeatable=True)

    def resume(self, answer: Any, interrupt_id: str | None = None) -> ResumedRun:
        """Answers the question of an interrupted run. Its events go on after the question."""
        body = {"response": answer, **({"interrupt_id": interrupt_id} if interrupt_id else {})}
        return self._transport.json(
            "POST", self._path("/resume"), body=body, headers={"prefer": "respond-async"}, is_repeatable=False
        )

    def artifacts(self) -> list[Artifact]:
        """Returns the files that the run has handed out."""
        return cast("list[Artifact]", (self._transport.json("GET", self._path("/artifacts")))["data"])

    def download(self, artifact: Artifact) -> bytes:
        """Downloads a file that the run has handed out."""
        path = self._path(fill_path("/artifacts/{}", artifact["id"]))
        return (self._transport.send("GET", path)).content

    def _open(self, last: str | None, silence: float) -> Messages:
        # Until its first event was read the run may not be there: the request that starts it is repeated, and joins it.
        if last is None and self._create is not None:
            return self._transport.open("POST", "/v1/execute", last=None, silence=silence, body=self._new())
        self._create = None
        return self._transport.open("GET", self._path("/stream"), last=last, silence=silence)

    def _new(self) -> dict[str, Any]:
        return {**(self._create or {}), "run_id": self.id}

    def _path(self, below: str = "") -> str:
        return fill_path("/v1/runs/{}", self.id) + below


class ThreadHandle:
    """A thread of runs of one agent: each message is a run that knows what was said before."""

    def __init__(self, client: Runfleet, thread_id: str, agent: str) -> None:
        self.id = thread_id
        self.agent = agent
        self._client = client

    def send(
        self,
        input: Mapping[str, Any] | None = None,
        *,
        files: Mapping[str, str | bytes] | None = None,
        **options: Unpack[RunOptions],
    ) -> RunHandle:
        """Returns the run of the next message. It starts when it is read."""
        return self._client.run(self.agent, input, files=files, **{**options, "thread_id": self.id})


def new_run(agent: str, input: Mapping[str, Any] | None, version: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the request that starts a run."""
    files: Mapping[str, str | bytes] | None = options.get("files")
    given = {name: value for name, value in options.items() if name != "files"}
    encoded = {"files": encode_files(files)} if files else {}
    return {"agent_id": agent, "version": version, "input_payload": dict(input or {}), **given, **encoded}


def _is_end(event: Any) -> bool:
    return event["type"] in ENDS


def _tell(spoken: Spoken, on_restart: Callable[[], None] | None) -> str:
    if spoken.is_anew and on_restart:
        on_restart()
    return spoken.text
