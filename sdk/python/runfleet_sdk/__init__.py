"""A client of Runfleet: run agents from your own code."""

from . import _generated as types
from ._async.client import AsyncRunfleet
from ._async.pages import AsyncPages
from ._async.run import AsyncRunHandle, AsyncThreadHandle
from ._errors import (
    ApiError,
    ConflictError,
    ForbiddenError,
    InvalidError,
    Issue,
    NotFoundError,
    QuotaError,
    RateLimitError,
    RunCancelledError,
    RunEndedError,
    RunExpiredError,
    RunFailedError,
    RunfleetError,
    RunInterruptedError,
    RunTimeoutError,
    StreamLostError,
    UnauthorizedError,
    UnreachableError,
    WebhookError,
)
from ._sync.client import Runfleet
from ._sync.pages import Page, Pages
from ._sync.run import RunHandle, ThreadHandle
from ._transcript import Transcript
from ._webhooks import verify_webhook

__all__ = [
    "ApiError",
    "AsyncPages",
    "AsyncRunHandle",
    "AsyncRunfleet",
    "AsyncThreadHandle",
    "ConflictError",
    "ForbiddenError",
    "InvalidError",
    "Issue",
    "NotFoundError",
    "Page",
    "Pages",
    "QuotaError",
    "RateLimitError",
    "RunCancelledError",
    "RunEndedError",
    "RunExpiredError",
    "RunFailedError",
    "RunHandle",
    "RunInterruptedError",
    "RunTimeoutError",
    "Runfleet",
    "RunfleetError",
    "StreamLostError",
    "ThreadHandle",
    "Transcript",
    "UnauthorizedError",
    "UnreachableError",
    "WebhookError",
    "types",
    "verify_webhook",
]
