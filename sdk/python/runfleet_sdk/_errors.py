"""Everything that this package raises of its own."""

from __future__ import annotations

from typing import Any, NamedTuple, cast

from ._sse import is_number


class RunfleetError(Exception):
    """The base of all errors here."""

    def __reduce__(self) -> tuple[Any, ...]:
        # An error's class takes more than its message, by which Python would make it again in another process.
        return _rebuild, (type(self), self.args), self.__dict__


def _rebuild(kind: type[RunfleetError], args: tuple[Any, ...]) -> RunfleetError:
    return kind.__new__(kind, *args)


class UnreachableError(RunfleetError):
    """No answer came: nothing listens at the address, or the connection was lost."""


class ApiError(RunfleetError):
    """The service answered with an error.

    `code` is the service's name for it, which stays the same: `run_not_found`. That of a 422 is `invalid`.
    """

    def __init__(
        self, message: str, *, status: int, code: str, request_id: str | None = None, retry_after: float | None = None
    ) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.request_id = request_id
        self.retry_after = retry_after
        """What the service asks to wait, in seconds."""


class UnauthorizedError(ApiError):
    """401: the key is missing, wrong or expired."""


class QuotaError(ApiError):
    """402: the quota or the wallet is spent."""


class ForbiddenError(ApiError):
    """403: the key has no right to do this."""


class NotFoundError(ApiError):
    """404: there is no such thing, or it belongs to somebody else."""


class ConflictError(ApiError):
    """409: the state of the thing doesn't allow it."""


class RateLimitError(ApiError):
    """429: too many requests or runs."""


class Issue(NamedTuple):
    """A fault of a request. `place` says where it is in the request: `input_payload.items.0`."""

    place: str
    message: str
    type: str


class InvalidError(ApiError):
    """422: something in the request is wrong."""

    def __init__(self, issues: list[Issue], **fields: Any) -> None:
        super().__init__("\n".join(f"{issue.place}: {issue.message}" for issue in issues), **fields)
        self.issues = issues


class RunEndedError(RunfleetError):
    """A run ended otherwise than by success. `error` has its code, type, message and traceback."""

    def __init__(self, run_id: str, status: str, error: dict[str, Any] | None) -> None:
        super().__init__(f"The run {run_id} ended as {status}{': ' + str(error['message']) if error else '.'}")
        self.run_id = run_id
        self.status = status
        self.code = str(error["code"]) if error else status
        self.error = error


class RunFailedError(RunEndedError):
    """The run ended as `error`."""


class RunTimeoutError(RunEndedError):
    """The run's time was over."""


class RunCancelledError(RunEndedError):
    """The run was cancelled."""


class RunExpiredError(RunEndedError):
    """The run was not started in time, or not answered."""


class RunInterruptedError(RunfleetError):
    """The run asks a person. Answer it by `run.resume(answer)`."""

    def __init__(self, run_id: str, interrupts: list[Any]) -> None:
        asked = "; ".join(str(one["message"] or one["reason"]) for one in interrupts)
        super().__init__(f"The run {run_id} waits for an answer: {asked}")
        self.run_id = run_id
        self.interrupts = interrupts


class StreamLostError(RunfleetError):
    """A stream was cut and could not be resumed. It goes on after `last_event_id`."""

    def __init__(self, message: str, last_event_id: str | None) -> None:
        super().__init__(message)
        self.last_event_id = last_event_id


class WebhookError(RunfleetError):
    """A webhook's signature is wrong, or its time is too far from now."""


_classes: dict[int, type[ApiError]] = {
    401: UnauthorizedError,
    402: QuotaError,
    403: ForbiddenError,
    404: NotFoundError,
    409: ConflictError,
    429: RateLimitError,
}

_endings: dict[str, type[RunEndedError]] = {
    "timeout": RunTimeoutError,
    "cancelled": RunCancelledError,
    "expired": RunExpiredError,
}


def api_error(status: int, body: Any, headers: Any) -> ApiError:
    """Returns the error that an answer is."""
    known = cast("dict[str, Any]", body if isinstance(body, dict) else {})
    detail = known.get("detail")
    issues = [_issue(fault) for fault in cast("list[Any]", detail)] if isinstance(detail, list) else None
    fields: dict[str, Any] = {
        "status": status,
        "code": known.get("code") or ("invalid" if issues is not None else f"http_{status}"),
        "request_id": known.get("request_id") or headers.get("x-request-id"),
        "retry_after": _seconds(headers.get("retry-after")),
    }
    if issues is not None:
        return InvalidError(issues, **fields)
    message = detail if isinstance(detail, str) else _describe(status, headers.get("location"))
    return _classes.get(status, ApiError)(message, **fields)


def _describe(status: int, location: str | None) -> str:
    if status >= 400:
        return f"The service answered {status}."
    to = location or "another address"
    return f"The service's address redirects to {to}. Give the client the address that answers itself."


def ended_error(run_id: str, status: str, error: Any, interrupts: list[Any]) -> RunfleetError:
    """Returns the error that a run's end is, if it isn't success."""
    if status == "interrupted":
        return RunInterruptedError(run_id, interrupts)
    return _endings.get(status, RunFailedError)(run_id, status, error)


def is_transient(failure: Exception | None) -> bool:
    """True for what passes: a lost connection, a service that restarts."""
    if isinstance(failure, ApiError):
        return failure.status in {408, 429, 502, 503, 504}
    return isinstance(failure, UnreachableError)


def _issue(fault: Any) -> Issue:
    # The first word of a place says which part of the request it is in: `body`, `query`.
    first, *rest = [str(part) for part in fault.get("loc", [])] or [""]
    message = str(fault.get("msg", "")).replace("Value error, ", "")
    return Issue(".".join(rest) or first, message, str(fault.get("type", "")))


def _seconds(text: str | None) -> float | None:
    return float(text) if text and is_number(text) else None
