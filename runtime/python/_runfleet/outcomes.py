"""Who looks at the outcome of a task or of a call hears of the failed calls behind it. Loaded for asyncio's code."""

# Tasks and futures are of any type.
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
# pyright: reportUnknownParameterType=false, reportMissingParameterType=false, reportIncompatibleMethodOverride=false
# pyright: reportAttributeAccessIssue=false, reportMissingTypeArgument=false, reportPrivateUsage=false

from __future__ import annotations

import _contextvars
import asyncio

from _runfleet.branches import failures_of, hear

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Outcome:
    """A future whose readers hear of failures.

    Our frames stand in the traceback of the exception that the future has. So they let go of the future.
    """

    def __await__(self) -> Any:
        try:
            return (yield from super().__await__())
        finally:
            self.tell()
            del self

    __iter__ = __await__

    def result(self) -> Any:
        self.tell()
        try:
            return super().result()
        finally:
            del self

    def exception(self) -> Any:
        self.tell()
        return super().exception()

    def tell(self) -> None:
        if self.done():
            hear(failures_of(self))


class Task(Outcome, asyncio.Task):
    pass


class Future(Outcome, asyncio.Future):
    pass


def follow_jobs() -> None:
    """Lets asyncio's code hear of what has failed in a pool's job: it looks at a future of its own."""
    wrap = asyncio.futures.wrap_future

    def wrap_job(future: Any, *, loop: Any = None) -> Any:
        branch = getattr(future, "runfleet_branch", None)
        if branch is None or asyncio.isfuture(future):
            return wrap(future, loop=loop)
        wrapped: Any = Future(loop=loop or asyncio.get_event_loop())
        wrapped.runfleet_branch = branch
        futures: Any = asyncio.futures
        # A job that is over already has its outcome copied at once, and nobody has looked at it yet.
        _contextvars.Context().run(futures._chain_future, future, wrapped)
        return wrapped

    asyncio.wrap_future = asyncio.futures.wrap_future = wrap_job


def error_of(future: Any) -> Any:
    """Returns the exception of a future that has ended. Nobody hears of it."""
    return asyncio.Future.exception(future) if isinstance(future, asyncio.Future) else future.exception()


def result_of(future: Any) -> Any:
    return asyncio.Future.result(future) if isinstance(future, asyncio.Future) else future.result()
