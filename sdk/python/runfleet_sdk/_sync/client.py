# Written by `npm run openapi` from the module of this name in _async. Do not edit.
# ruff: noqa
"""A client of one Runfleet service."""

from __future__ import annotations

from collections.abc import Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any

import httpx

from .._shared import auth_headers, base_url, new_run_id
from .resources import Resources
from .run import RunHandle, ThreadHandle, new_run
from .transport import Transport

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack

    from .._generated import RunOptions


class Runfleet(Resources):
    """A client of one service.

    `run`, `attach` and `thread` give handles. Beside them each operation of the API is a method:
    `client.runs.list(status="error")`, `client.agents.put_secret("asker", "KEY", {"value": …})`.
    """

    def __init__(self, url: str | None = None, api_key: str | None = None, *, http: httpx.Client | None = None) -> None:
        """Without `url` and `api_key` the client takes RUNFLEET_URL and RUNFLEET_API_KEY.

        `http`: your own, which stays open.
        """
        self.url = base_url(url)
        self._own_http = None if http else httpx.Client(limits=httpx.Limits(max_connections=None))
        transport = Transport(self.url, auth_headers(api_key), http or self._own_http or httpx.Client())
        self._transport = transport
        super().__init__(transport)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Closes the client's connections."""
        if self._own_http:
            self._own_http.close()

    def run(
        self,
        agent: str,
        input: Mapping[str, Any] | None = None,
        *,
        version: str = "current",
        run_id: str | None = None,
        files: Mapping[str, str | bytes] | None = None,
        **options: Unpack[RunOptions],
    ) -> RunHandle:
        """Returns a run of an agent, by default of its current version. It starts when it is read."""
        create = new_run(agent, input, version, {**options, "files": files})
        return RunHandle(self._transport, run_id or new_run_id(), create=create)

    def attach(self, run_id: str, *, after: str | None = None) -> RunHandle:
        """Returns a run that is there. `after`: the id of the last event that was read of it."""
        return RunHandle(self._transport, run_id, after=after)

    def thread(self, thread_id: str, *, agent: str) -> ThreadHandle:
        """Returns a thread of runs of an agent. The thread is made by its first run."""
        return ThreadHandle(self, thread_id, agent)

    def request(self, method: str, path: str, **more: Any) -> httpx.Response:
        """Sends any request. Returns a good answer. For what has no method of its own."""
        return self._transport.send(method, path, **more)
