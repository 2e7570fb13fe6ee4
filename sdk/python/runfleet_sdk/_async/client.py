"""A client of one Runfleet service."""

from __future__ import annotations

from collections.abc import Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any

import httpx

from .._shared import auth_headers, base_url, new_run_id
from .resources import AsyncResources
from .run import AsyncRunHandle, AsyncThreadHandle, new_run
from .transport import AsyncTransport

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack

    from .._generated import RunOptions


class AsyncRunfleet(AsyncResources):
    """A client of one service.

    `run`, `attach` and `thread` give handles. Beside them each operation of the API is a method:
    `client.runs.list(status="error")`, `client.agents.put_secret("asker", "KEY", {"value": …})`.
    """

    def __init__(
        self, url: str | None = None, api_key: str | None = None, *, http: httpx.AsyncClient | None = None
    ) -> None:
        """Without `url` and `api_key` the client takes RUNFLEET_URL and RUNFLEET_API_KEY.

        `http`: your own, which stays open.
        """
        self.url = base_url(url)
        self._own_http = None if http else httpx.AsyncClient(limits=httpx.Limits(max_connections=None))
        transport = AsyncTransport(self.url, auth_headers(api_key), http or self._own_http or httpx.AsyncClient())
        self._transport = transport
        super().__init__(transport)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Closes the client's connections."""
        if self._own_http:
            await self._own_http.aclose()

    def run(
        self,
        agent: str,
        input: Mapping[str, Any] | None = None,
        *,
        version: str = "current",
        run_id: str | None = None,
        files: Mapping[str, str | bytes] | None = None,
        **options: Unpack[RunOptions],
    ) -> AsyncRunHandle:
        """Returns a run of an agent, by default of its current version. It starts when it is read."""
        create = new_run(agent, input, version, {**options, "files": files})
        return AsyncRunHandle(self._transport, run_id or new_run_id(), create=create)

    def attach(self, run_id: str, *, after: str | None = None) -> AsyncRunHandle:
        """Returns a run that is there. `after`: the id of the last event that was read of it."""
        return AsyncRunHandle(self._transport, run_id, after=after)

    def thread(self, thread_id: str, *, agent: str) -> AsyncThreadHandle:
        """Returns a thread of runs of an agent. The thread is made by its first run."""
        return AsyncThreadHandle(self, thread_id, agent)

    async def request(self, method: str, path: str, **more: Any) -> httpx.Response:
        """Sends any request. Returns a good answer. For what has no method of its own."""
        return await self._transport.send(method, path, **more)
