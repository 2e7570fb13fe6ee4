"""The context that an agent is given besides its input, and the module that it may import as `runfleet`."""

from __future__ import annotations

import os
import sys
import time

from _runfleet import load_part
from _runfleet.channel import send
from _runfleet.encode_json import encode, scan

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import TracebackType
    from typing import Any


VALUE_MARK = " "  # Before a saved value's JSON. It tells the value from a saved text, which may look like JSON.


def state_of(text: Any) -> Any:
    """Returns what the agent saved: a value, or a text."""
    if not text or not text.startswith(VALUE_MARK):
        return text
    try:
        value, end = scan(text, len(VALUE_MARK))
    except (ValueError, StopIteration):
        return text
    return value if end == len(text) else text


USAGE = ("input_tokens", "output_tokens", "cost_usd")
LEVELS = {name: name for name in ("debug", "info", "warn", "error")}
LEVELS.update(warning="warn", critical="error", fatal="error")


def level_of(name: Any) -> str:
    level = LEVELS.get(str(name).lower())
    if level is None:
        raise ValueError(f"log() takes the level debug, info, warn or error, not '{name}'.")
    return level


class Tool:
    """`with context.tool("search", {"q": 1}) as call: call.result = …`, also as `async with`."""

    def __init__(self, context: Context, name: str, args: Any) -> None:
        self.call_id, self.name, self.args = os.urandom(8).hex(), name, args
        self.send_frame = context.send_frame
        self.result: Any = None

    def __enter__(self) -> Tool:
        self.started = time.monotonic()
        self.send_frame("tool.start", call_id=self.call_id, name=self.name, args=self.args)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        took = round((time.monotonic() - self.started) * 1000)
        message = f"{kind.__name__}: {error}" if kind else None
        self.send_frame("tool.end", call_id=self.call_id, result=self.result, error=message, duration_ms=took)

    async def __aenter__(self) -> Tool:
        return self.__enter__()

    async def __aexit__(self, *error: Any) -> None:
        self.__exit__(*error)


class Context(dict[str, Any] if TYPE_CHECKING else dict):
    """What the agent knows about its run, by key or attribute, and its ways to send more than it yields."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            if name in durable_calls:
                return getattr(part_of(name), durable_calls[name])
            raise AttributeError(name) from None

    def send_frame(self, type_: str, **fields: Any) -> None:
        send(type_, **fields)

    def messages(self) -> Iterator[Any]:
        """A daemon's messages: daemon.py gives it another method."""
        raise RuntimeError("Only a daemon takes messages: run the agent with the lifecycle 'daemon'.")

    def emit(self, name: str, value: Any = None) -> None:
        self.send_frame("custom", name=str(name), value=value)

    def progress(self, value: float | str | None = None, message: str | None = None) -> None:
        """`value`: from 0 to 1."""
        if isinstance(value, str):
            value, message = None, value
        if value is not None and not -0.01 <= float(value) <= 1.01:
            raise ValueError(f"progress() takes a value from 0 to 1, such as 0.5 for half, not {value}.")
        bounded = None if value is None else min(max(float(value), 0.0), 1.0)
        self.send_frame("progress", value=bounded, message=None if message is None else str(message))

    def log(self, message: Any, level: str = "info") -> None:
        self.send_frame("log", level=level_of(level), stream="agent", message=str(message))

    def save_state(self, state: Any) -> None:
        """Saves text, or any value that JSON has."""
        text = state if isinstance(state, str) else VALUE_MARK + encode(state).decode()
        self["state"], self["state_snapshot"] = state_of(text), text
        self.send_frame("state", state_snapshot=text)

    def usage(self, **counts: Any) -> None:
        """`counts`: the run's totals so far of input_tokens, output_tokens and cost_usd."""
        for name, count in counts.items():
            if name not in USAGE:
                raise TypeError(f"usage() takes {', '.join(USAGE)}, not '{name}'.")
            if isinstance(count, bool) or not isinstance(count, (int, float)):
                raise TypeError(f"usage() takes numbers; {name} is a {type(count).__name__}.")
            if count - count != 0:
                raise ValueError(f"usage() takes finite numbers; {name} is {count}.")
        self.send_frame("usage", **counts)

    def tool(self, name: str, args: Any = None) -> Tool:
        return Tool(self, str(name), args)

    def artifact(self, name: str, content: str | bytes | None = None, mime: str | None = None) -> None:
        """Stores an artifact of the run: `content`, or the file of that name."""
        if content is None:
            with open(name, "rb") as file:
                content = file.read()
        if isinstance(content, str):
            content = content.encode()
        import binascii
        import mimetypes

        mime = mime or mimetypes.guess_type(str(name))[0]
        encoded = binascii.b2a_base64(bytes(content), newline=False).decode()
        self.send_frame("artifact", name=os.path.basename(str(name)), mime=mime, content=encoded)

    def interrupt(
        self,
        message: Any = None,
        reason: str = "input_required",
        response_schema: dict[str, Any] | None = None,
        expires_in_ms: int | None = None,
    ) -> Any:
        """Asks a person. The run ends here, and starts anew with the answer, which this call then returns.

        The code before this call runs again. Questions that were answered before get the same answers.
        """
        key = None
        for settle in before_questions:
            key = settle()
        if answer := take_answer(self["answers"], key):
            return answer[0]
        text = None if message is None else message if isinstance(message, str) else encode(message).decode()
        more = {} if key is None else {"key": key}
        question = {"reason": reason, "message": text, "response_schema": response_schema, **more}
        raise Interrupted(**question, expires_in_ms=expires_in_ms)


def take_answer(answers: list[Any], key: str | None) -> list[Any]:
    """Returns the answer to the next question in a list, which is empty if there is none. `key`: of the question.

    Answers to questions without a key go by the order of asking.
    """
    has_own = key is not None and key in answer_keys
    asked.append(has_own)
    if has_own:
        return [answers[answer_keys.index(key)]]
    keys = [*answer_keys, *[None] * (len(answers) - len(answer_keys))]
    in_order = [answer for answer, other in zip(answers, keys) if other is None]
    number = asked.count(False)
    return in_order[number - 1 : number]


class Interrupted(BaseException):
    """A question to a person, which ends the run. It is no Exception, so that agents don't catch it by accident."""

    raised = False  # True once the run has asked: what ends now was not given up by the code.

    def __init__(self, **question: Any) -> None:
        self.question = question
        Interrupted.raised = True


class Continued(BaseException):
    """The run goes on as a fresh one. It is no Exception, so that agents don't catch it by accident."""

    def __init__(self, input: dict[str, Any]) -> None:
        self.input = input


# Loaded at first use: the context's methods and where they are.
waiting_calls = (
    *("sleep", "sleep_until", "wait_for", "first", "signal_url", "new_messages", "steering", "keep_warm"),
    "continue_as",
)
starting_calls = ("run_agent", "start_agent", "map")
named_calls = ("now", "uuid", "random", *waiting_calls, *starting_calls)
durable_calls = {"step": "run_step", **{name: name for name in named_calls}}
durable_errors = (
    "ChildFailed",
    "DurableError",
    "DurableCallInStep",
    "DuplicateKey",
    "JournalFull",
    "NonRetryable",
    "ResultNotJSON",
    "ResultTooLarge",
    "RetryAfter",
    "SignalTimeout",
    "StepFailed",
    "StepTimeout",
)
before_questions: list[Callable[[], str]] = []  # Each returns the question's key.
graph_checkpoints: list[list[str]] = []  # What earlier attempts kept of a graph. Empty where nothing is kept.
asked: list[bool] = []  # The current run's questions, in the order of asking: whether each has an answer by its key.
answer_keys: list[str | None] = []  # Of the answered questions, as a durable run's worker has sent them.
context = Context()


def offer_helper() -> None:
    """Makes `import runfleet` work: the context, empty until the run begins, and its methods as functions."""
    helper: Any = type(sys)("runfleet", "What an agent may import: context, and its methods as functions.")
    helper.context = context
    for name in ("emit", "progress", "log", "save_state", "usage", "tool", "artifact", "interrupt", "messages"):
        setattr(helper, name, getattr(context, name))
    helper.__getattr__, helper.__dir__ = find_durable, list_helper
    sys.modules["runfleet"] = helper


def part_of(name: str) -> Any:
    if name in starting_calls:
        return load_part("children")
    return load_part("waits" if name in waiting_calls else "steps")


def list_helper() -> list[str]:
    return [*vars(sys.modules["runfleet"]), *durable_calls, *durable_errors, *shown_classes, *durable_classes]


class DecoratedStep:
    """What annotations call a function that `@step` has made. No value is of this class."""

    def __class_getitem__(cls, _: Any) -> type[DecoratedStep]:
        return cls


# What annotations name. A daemon's messages have a class of their own: daemon.py sets it.
shown_classes: dict[str, Any] = {
    "Context": Context,
    "DecoratedStep": DecoratedStep,
    "Message": dict,
    "Retry": dict,
    "Tool": Tool,
}
durable_classes = {"Step": "steps", "Steering": "steering"}


def find_durable(name: str) -> Any:
    """Finds what only some agents import of the module."""
    if name in shown_classes:
        return shown_classes[name]
    if name in durable_classes:
        return getattr(load_part(durable_classes[name]), name)
    if name in durable_errors:
        return getattr(load_part("step_values"), name)
    if name in durable_calls:
        return getattr(part_of(name), name)
    raise AttributeError(f"module 'runfleet' has no attribute '{name}'")


request_fields = (
    "history",
    "answers",
    "state_snapshot",
    "run_id",
    "thread_id",
    "agent_id",
    "user_id",
    "version",
    "attempt",
    "metadata",
    "env",
)


def fill_context(context: Context, request: dict[str, Any]) -> None:
    for name in request_fields:
        context[name] = request[name]
    context["input"] = request["input_payload"]
    context["state"] = state_of(context["state_snapshot"])
    context["files"] = {name: os.path.abspath(name) for name in request["files"]}
