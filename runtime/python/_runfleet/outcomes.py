"""Who looks at the outcome of a task or of a call hears of the failed calls behind it. Loaded for asyncio's code."""

# Tasks and futures are of any type.
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
# pyright: reportUnknownParameterType=false, reportMissingParameterType=false, reportIncompatibleMethodOverride=false
# pyright: reportAttributeAccessIssue=false, reportMissingTypeArgument=false

from __future__ import annotations

import asyncio

from _runfleet.branches import Branch, hear

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Outcome:
    """`branch`: that of a task. `failures`: the keys of failed calls, where no branch has them."""

    branch: Branch | None = None
    failures: tuple[str, ...] = ()

    def __await__(self) -> Any:
        try:
            return (yield from super().__await__())
        finally:
            self.tell()

    __iter__ = __await__

    def result(self) -> Any:
        self.tell()
        return super().result()

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


def failures_of(future: Any) -> tuple[str, ...]:
    branch: Branch | None = getattr(future, "branch", None)
    return branch.failures if branch is not None else getattr(future, "failures", ())


def error_of(future: Any) -> Any:
    """Returns the exception of a future that has ended. Nobody hears of it."""
    return asyncio.Future.exception(future) if isinstance(future, asyncio.Future) else future.exception()


def result_of(future: Any) -> Any:
    return asyncio.Future.result(future) if isinstance(future, asyncio.Future) else future.result()
