"""What an agent may `import runfleet` for; it is there in every sandbox, with nothing installed."""

from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from datetime import datetime
from types import TracebackType
from typing import Any, Generic, NoReturn, ParamSpec, TypedDict, TypeVar, overload

T = TypeVar("T")
P = ParamSpec("P")

class DurableError(Exception):
    """The base of what durable calls raise."""

class StepFailed(DurableError):
    """A step's error after its last try. It is of the original class, too; `type` is that class's name."""

    type: str

class StepTimeout(DurableError): ...
class SignalTimeout(DurableError): ...

class ChildFailed(DurableError):
    """A run that the code has started did not succeed, or could not be started (`status` is `refused`, `code` says why)."""

    run_id: str | None
    status: str | None
    code: str | None

class ResultNotJSON(DurableError): ...
class ResultTooLarge(DurableError): ...
class JournalFull(DurableError): ...
class DuplicateKey(DurableError): ...
class DurableCallInStep(DurableError): ...

class NonRetryable(Exception):
    """Raised in a step: the step is not tried again."""

class RetryAfter(Exception):
    """Raised in a step: the step is tried again after so many seconds."""

    seconds: float
    def __init__(self, seconds: float, message: str = "") -> None: ...

class Retry(TypedDict, total=False):
    max_attempts: int
    delay_ms: float
    factor: float
    max_delay_ms: float
    on: type[BaseException] | list[type[BaseException]] | tuple[type[BaseException], ...]

class Step:
    """One try of a step. A function whose first parameter is named `step` gets it."""

    key: str
    name: str
    number: int
    """Of the try, from 1."""
    idempotency_key: str
    """The same on every try: for the header of the other side."""

class DecoratedStep(Generic[P, T]):
    fn: Callable[P, T]
    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> T: ...

class Tool:
    """A call of a tool, between its `tool.start` and its `tool.end`."""

    call_id: str
    result: Any
    def __enter__(self) -> Tool: ...
    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None: ...
    async def __aenter__(self) -> Tool: ...
    async def __aexit__(self, *error: Any) -> None: ...

class Message(dict[str, Any]):
    """A message to a daemon: its input, and the ways to answer it."""

    run_id: str
    input: Any
    context: Context
    def reply(self, result: Any = None) -> None: ...
    def fail(self, error: Any) -> None: ...

class Steering:
    """What frameworks ask before each turn of a model. Its names are those of their options."""

    def pre_model_hook(self, state: Any, *more: Any) -> dict[str, Any]:
        """LangGraph's: `create_react_agent(pre_model_hook=…)`, or a middleware's `before_model`."""
    async def call_model_input_filter(self, data: Any) -> Any:
        """The OpenAI Agents SDK's: `RunConfig(call_model_input_filter=…)`."""

class Context(dict[str, Any]):
    """The second argument of `main`: what the agent knows of its run, and what it may say besides yielding."""

    run_id: str
    attempt: int
    agent_id: str
    version: str
    thread_id: str | None
    user_id: str
    input: Any
    history: list[dict[str, Any]]
    state: Any
    """What `save_state` was given; `state_snapshot` is how it is stored."""
    files: dict[str, str]
    metadata: dict[str, Any]
    def messages(self) -> Iterator[Message]:
        """A daemon's messages, as they come: for a `main` that takes them itself."""
    def emit(self, name: str, value: Any = None) -> None:
        """An event of one's own."""
    def progress(self, value: float | str | None = None, message: str | None = None) -> None:
        """`value` from 0 to 1."""
    def log(self, message: Any, level: str = "info") -> None: ...
    def save_state(self, state: Any) -> None:
        """Text, or any value that JSON has: `context.state` of the thread's next run."""
    def usage(self, *, input_tokens: int = ..., output_tokens: int = ..., cost_usd: float = ...) -> None:
        """Totals so far."""
    def tool(self, name: str, args: Any = None) -> Tool: ...
    def artifact(self, name: str, content: str | bytes | None = None, mime: str | None = None) -> None:
        """Hands out a file: `content`, or the file of that name."""
    def interrupt(
        self,
        message: Any = None,
        reason: str = "input_required",
        response_schema: dict[str, Any] | None = None,
        expires_in_ms: int | None = None,
    ) -> Any:
        """Asks a person: the run ends here, starts anew with the answer, and this call then returns it."""
    def step(
        self,
        name: str,
        function: Callable[..., T],
        /,
        *args: Any,
        retry: Retry | Mapping[str, Any] | None = None,
        timeout_ms: float | None = None,
        key: str | int | None = None,
        returns: type[Any] | None = None,
        **kwargs: Any,
    ) -> T:
        """Does `function` once, however often the run starts. In asyncio's code: a future of the result."""
    def now(self) -> datetime | Awaitable[datetime]:
        """The time of the first attempt that came here. In asyncio's code: a future of it."""
    def sleep(self, seconds: float, *, key: str | int | None = None) -> Any:
        """Waits so many seconds, also without a process. In asyncio's code each wait is a future."""
    def sleep_until(self, time: datetime | float, *, key: str | int | None = None) -> Any:
        """Waits until an aware datetime, or seconds since 1970."""
    def wait_for(
        self, names: str | list[str], *, timeout: float | None = None, key: str | int | None = None
    ) -> Any:
        """Waits for a signal and returns its payload; of several names, the earliest one's {"name", "payload"}.

        Raises SignalTimeout when none came in `timeout` seconds.
        """
    def first(self, count: int, *waits: Awaitable[T]) -> Awaitable[list[T]]:
        """What the first `count` of several waits end as, in that order. The others are given up. For asyncio's code."""
    def signal_url(self, name: str, *, expires_in: float = 604800, key: str | int | None = None) -> Any:
        """An address to which anybody who has it may POST a signal, for so many seconds. The same on every attempt."""
    def continue_as(self, input: dict[str, Any] | None = None) -> NoReturn:
        """Ends the code here: the run goes on from the first line, with this input and an empty journal."""
    def keep_warm(self) -> None:
        """From here on the process stays while the run waits."""
    def new_messages(self, *, key: str | int | None = None) -> Any:
        """What was said to the run since it was asked last, the oldest first: a list, at once. In asyncio's code: a future of it."""
    def steering(self) -> Steering:
        """Gives new messages to a framework's model, at its next turn. One for each conversation."""
    def run_agent(
        self, agent: str, input: Mapping[str, Any] | None = None, *, version: str = "current", key: str | int | None = None
    ) -> Any:
        """Runs another agent and returns its run's result. Raises ChildFailed. In asyncio's code: a future of it."""
    def start_agent(
        self, agent: str, input: Mapping[str, Any] | None = None, *, version: str = "current", key: str | int | None = None
    ) -> Any:
        """Starts a run of another agent, which goes on by itself: its id."""
    def map(
        self,
        agent: str,
        inputs: Iterable[Mapping[str, Any] | None],
        *,
        concurrency: int | None = None,
        return_errors: bool = False,
        version: str = "current",
        key: str | int | None = None,
    ) -> Any:
        """Runs another agent once for each input, `concurrency` at once: the results in the order of the inputs.

        `return_errors`: errors stand among the results.
        """
    def uuid(self) -> str:
        """The same on every attempt, another at each call."""
    def random(self) -> float:
        """From 0 to below 1: the same on every attempt, another at each call."""

context: Context

def messages() -> Iterator[Message]: ...
@overload
def step(function: Callable[P, T], /) -> DecoratedStep[P, T]: ...
@overload
def step(
    *,
    name: str | None = None,
    retry: Retry | Mapping[str, Any] | None = None,
    timeout_ms: float | None = None,
    returns: type[Any] | None = None,
) -> Callable[[Callable[P, T]], DecoratedStep[P, T]]: ...
@overload
def step(name: str, function: Callable[..., T], /, *args: Any, **options: Any) -> T: ...
def now() -> datetime | Awaitable[datetime]: ...
def sleep(seconds: float, *, key: str | int | None = None) -> Any: ...
def sleep_until(time: datetime | float, *, key: str | int | None = None) -> Any: ...
def wait_for(names: str | list[str], *, timeout: float | None = None, key: str | int | None = None) -> Any: ...
def first(count: int, *waits: Awaitable[T]) -> Awaitable[list[T]]: ...
def signal_url(name: str, *, expires_in: float = 604800, key: str | int | None = None) -> Any: ...
def continue_as(input: dict[str, Any] | None = None) -> NoReturn: ...
def keep_warm() -> None: ...
def new_messages(*, key: str | int | None = None) -> Any: ...
def steering() -> Steering: ...
def run_agent(
    agent: str, input: Mapping[str, Any] | None = None, *, version: str = "current", key: str | int | None = None
) -> Any: ...
def start_agent(
    agent: str, input: Mapping[str, Any] | None = None, *, version: str = "current", key: str | int | None = None
) -> Any: ...
def map(
    agent: str,
    inputs: Iterable[Mapping[str, Any] | None],
    *,
    concurrency: int | None = None,
    return_errors: bool = False,
    version: str = "current",
    key: str | int | None = None,
) -> Any: ...
def uuid() -> str: ...
def random() -> float: ...

def emit(name: str, value: Any = None) -> None: ...
def progress(value: float | str | None = None, message: str | None = None) -> None: ...
def log(message: Any, level: str = "info") -> None: ...
def save_state(state: Any) -> None: ...
def usage(*, input_tokens: int = ..., output_tokens: int = ..., cost_usd: float = ...) -> None: ...
def tool(name: str, args: Any = None) -> Tool: ...
def artifact(name: str, content: str | bytes | None = None, mime: str | None = None) -> None: ...
def interrupt(
    message: Any = None,
    reason: str = "input_required",
    response_schema: dict[str, Any] | None = None,
    expires_in_ms: int | None = None,
) -> Any: ...
