"""What an agent may `import runfleet` for; it is there in every sandbox, with nothing installed."""

from types import TracebackType
from typing import Any

class Tool:
    """A call of a tool, between its `tool.start` and its `tool.end`."""

    call_id: str
    result: Any
    def __enter__(self) -> Tool: ...
    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None: ...
    async def __aenter__(self) -> Tool: ...
    async def __aexit__(self, *error: Any) -> None: ...

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

context: Context

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
