"""Steps: what the code does once, however often its run starts again. Loaded for code that uses them only."""

# Functions of an agent are of any type.
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false

from __future__ import annotations

import sys
import time

from _runfleet import call_agent, load_part, step_values
from _runfleet.arguments import parameters
from _runfleet.branches import Branch, current, follow_imported, lock
from _runfleet.channel import flush, write_frame
from _runfleet.context import Continued, Interrupted, answer_keys, before_questions
from _runfleet.journal import LOOK_S, journal, look_at, report_again, say_log
from _runfleet.step_values import DurableError, NonRetryable, RetryAfter, StepTimeout
from _runfleet.stopping import Stopped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

ENDS_RETRIES = (
    NonRetryable,
    step_values.ResultNotJSON,
    step_values.ResultTooLarge,
    step_values.DurableCallInStep,
    step_values.JournalFull,
)
MOST_MS = 24 * 3_600_000


class Retry:
    """How a step is tried again: the fields of an agent's `retry`, and `on`, the errors that are worth a try."""

    def __init__(self, given: Any) -> None:
        fields = dict(given or {})
        self.max_attempts: int = fields.pop("max_attempts", 1)
        self.delay_ms: float = fields.pop("delay_ms", 1_000)
        self.factor: float = fields.pop("factor", 2)
        self.max_delay_ms: float = fields.pop("max_delay_ms", max(60_000, self.delay_ms))
        for name in ("delay_ms", "factor", "max_delay_ms"):
            if name != "max_delay_ms" or self.max_delay_ms != float("inf"):  # Infinity is no bound.
                step_values.check_number(getattr(self, name), f"A step's retry.{name}")
        on = fields.pop("on", Exception)
        self.on: Any = tuple(on) if isinstance(on, (list, tuple)) else on
        if fields:
            known = "max_attempts, delay_ms, factor, max_delay_ms, on"
            raise TypeError(f"A step's retry has no {', '.join(map(repr, fields))}; it has {known}.")

    def delay_of(self, error: BaseException, number: int) -> float | None:
        """Returns the seconds until the next try; None: there is none. `number`: of the try that failed."""
        if number >= self.max_attempts or isinstance(error, ENDS_RETRIES):
            return None
        if isinstance(error, RetryAfter):
            return min(max(error.seconds, 0), MOST_MS / 1000)
        if not isinstance(error, (StepTimeout, self.on)):
            return None
        return min(self.delay_ms * self.factor ** (number - 1), self.max_delay_ms, MOST_MS) / 1000


class Step:
    """One try of a step. A function whose first parameter is named `step` gets it. `is_over`: says nothing any more."""

    def __init__(self, key: str, name: str, number: int, reports: dict[str, Any]) -> None:
        self.key, self.name, self.number, self.is_over = key, name, number, False
        self.in_thread = False  # True while a thread of asyncio's executes its plain function, which can't be stopped.
        self.reports = reports

    @property
    def idempotency_key(self) -> str:
        """The same on every try: for the header of the other side."""
        import hashlib

        text = f"{journal.run_id}\0{self.key}".encode("utf-8", "surrogatepass")
        return hashlib.sha256(text).hexdigest()[:32]


class Call:
    """A call of a step, with all its tries."""

    fails = True

    def __init__(
        self, name: str, function: Callable[..., Any], args: Any, kwargs: Any, options: dict[str, Any]
    ) -> None:
        if not callable(function):
            raise TypeError(f"context.step({name!r}, …) needs a function, not {type(function).__name__}")
        self.name, self.function, self.args, self.kwargs = name, function, args, kwargs
        self.retry = Retry(options.get("retry"))
        self.timeout_ms: float | None = options.get("timeout_ms")
        if self.timeout_ms is not None:
            step_values.check_number(self.timeout_ms, f"The timeout_ms of step {name!r}")
            self.timeout_ms = min(self.timeout_ms, MOST_MS)
        self.kind = step_values.typed_of(function, options.get("returns"))
        self.hash = step_values.hash_of(args, kwargs)
        self.files: list[str] = []
        if given := options.get("files"):
            self.files = load_part("step_files").check_paths(given, f"Step {name!r}")
        self.place = journal.place("step", name, options.get("key"))
        self.key, self.closes = self.place["key"], self.place["closes"]
        known = journal.entries.get(self.key)
        is_other = known is not None and known.get("args") and self.hash and known["args"] != self.hash
        if is_other and self.key in journal.copied:
            with lock:
                journal.diverge(self.key, name, name)
        elif is_other:
            say_log(f"Step '{name}' has other arguments than in an earlier attempt; its kept result is used.")
        self.reports: dict[str, Any] = {}  # The state that the step's tries have saved, and their usage.
        if known is not None and self.key in journal.entries:
            report_again(known)
            if "files" in known:
                load_part("step_files").unpack(known.pop("files"))
        if self.key in journal.copied:
            write_frame("step.copied", key=self.key, closes=self.closes)
            self.closes = []
        self.number, self.retry_at = journal.tries.get(self.key, (1, 0.0))

    def begin_try(self, interruptible: bool) -> Step:
        """A plain call can't be interrupted: the worker then has what to keep when the try runs over its time."""
        step = Step(self.key, self.name, self.number, self.reports)
        with lock:
            journal.in_flight += 1
        start: dict[str, Any] = {"key": self.key, "name": self.name, "try": self.number, "closes": self.closes}
        self.closes = []
        if self.timeout_ms is not None and not interruptible:
            error = self.timed_out()
            delay = self.retry.delay_of(error, self.number)
            start.update(timeout_ms=self.timeout_ms, on_timeout=self.fields_of(error, delay))
        write_frame("step.start", **start)
        return step

    def timed_out(self) -> StepTimeout:
        return StepTimeout(f"Step '{self.name}' ran over its timeout_ms of {self.timeout_ms}.")

    def fields_of(self, error: BaseException | None, delay: float | None) -> dict[str, Any]:
        """Returns the fields of the frame that ends a try, without its result. `delay`: seconds until the next try."""
        fields: dict[str, Any] = {
            **self.place,
            "kind": "step",
            "try": self.number,
            "args": self.hash,
            "closes": self.closes,
            "ok": error is None,
        }
        if error is not None:
            fields["error"] = step_values.describe_error(error)
        return fields if delay is None else {**fields, "retry_in_ms": delay * 1000}

    def open(self) -> None:
        """Only a rehearsal waits for a step instead of doing it."""
        write_frame("step.held", key=self.key, name=self.name)

    def invoke(self, step: Step) -> Any:
        takes_step = parameters(self.function).positional[:1] == ("step",)
        given = (step, *self.args) if takes_step else self.args
        return self.function(*given, **self.kwargs)

    def end_try(self, step: Step, result: Any, error: BaseException | None) -> float | None:
        """Sends what became of a try. Returns the seconds until the next try; None: the step is over."""
        with lock:
            step.is_over = True
        kept: dict[str, Any] = {}
        if error is None:
            try:
                kept = {"result": step_values.encode_typed(result, self.kind, f"step '{self.name}'")}
                if self.files:
                    kept["files"] = load_part("step_files").pack(self.files, f"Step '{self.name}'")
            except Exception as fault:
                error = fault
        delay = None if error is None else self.retry.delay_of(error, self.number)
        fields = self.fields_of(error, delay)
        if delay is None:
            journal.send({**fields, **self.reports, **({} if error else kept)})
            return None
        write_frame("step.end", **fields)
        self.retry_at = (time.time() + delay) * 1000
        self.number += 1
        with lock:
            journal.in_flight -= 1
            journal.count += 1
        return delay

    def give_over(self) -> None:
        """Sends that a try ran over its time, and its function goes on. The worker keeps it and kills this process."""
        error = self.timed_out()
        write_frame("step.end", **self.fields_of(error, self.retry.delay_of(error, self.number)), goes_on=True)

    def left(self) -> float:
        """The seconds until the next try may begin."""
        return max(0.0, self.retry_at / 1000 - time.time())

    def unwrap(self, entry: dict[str, Any]) -> Any:
        if entry["ok"]:
            return step_values.load_typed(step_values.decode(entry.get("result")), self.kind)
        raise step_values.rebuild(entry["error"])


def in_loop() -> bool:
    events: Any = sys.modules.get("asyncio.events")
    return events is not None and events._get_running_loop() is not None


def check_active(what: str) -> None:
    if not journal.active:
        raise DurableError(
            f"{what} need a process of their own run, and code of the agent's own files that says `.step`, `@step` or, "
            "say, `context.sleep(`. They are not there for daemons, interactive threads and versions with `reuse`, nor "
            "while code is loaded."
        )


def run_step(name: str, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
    """Does a step, or returns what an earlier attempt kept of it. In asyncio's code it returns a future."""
    if type(name) is not str:
        raise TypeError('context.step("name", function, …): the name comes first')
    check_active("Steps")
    options = {option: kwargs.pop(option, None) for option in ("retry", "timeout_ms", "key", "returns", "files")}
    follow_imported()  # A script imports while it runs.
    call = Call(name, function, args, kwargs, options)
    if journal.rehearsal is not None and journal.rehearsal.holds(call):
        return load_part("waits").begin(call)
    return load_part("async_steps").begin_step(call) if in_loop() else do_step(call)


def do_step(call: Call) -> Any:
    while call.key not in journal.entries:
        pause(call)
        if journal.is_asking:
            time.sleep(86_400)  # The process ends before.
        step, result, error = call.begin_try(interruptible=False), None, None
        branch = Branch(f"{call.key}~{call.number}", step)
        token = current.set(branch)
        try:
            result = call.invoke(step)
            if hasattr(result, "__await__"):
                import asyncio

                result = asyncio.run(as_coroutine(result))
        except (Interrupted, Continued, Stopped):
            raise
        except (Exception, SystemExit) as fault:
            error = fault
        except BaseException:
            with lock:
                step.is_over = True
                journal.in_flight -= 1  # Its code gives the step up: nothing waits for it.
            raise
        finally:
            flush()
            current.reset(token)
        slot = journal.ask(call.key)
        if call.end_try(step, result, error) is None:
            entry = journal.wait(slot)
            with lock:
                journal.in_flight -= 1
            return look_at(call, entry)
        journal.slots.pop(call.key)
    return look_at(call, journal.entries[call.key])


def pause(call: Call) -> None:
    """Waits for the step's next try. The process need not be there meanwhile."""
    wait = call.left()
    if not wait:
        return
    journal.retries[call.key] = call.retry_at
    slot = journal.ask(f"{call.key}~pause", is_durable=True)
    slot.deadline = time.monotonic() + wait
    try:
        journal.wait(slot)
    finally:
        journal.slots.pop(slot.key, None)
        journal.durable.discard(slot.key)
        journal.retries.pop(call.key, None)


async def as_coroutine(awaitable: Any) -> Any:
    return await awaitable


def step(function: Any = None, /, *args: Any, **options: Any) -> Any:
    """`@step` and `@step(name=…, retry=…)` make each call of a function a step; `step("name", function, …)` does one.

    A decorated function's `fn` is the plain one.
    """
    if isinstance(function, str):
        return run_step(function, *args, **options)
    if function is None:

        def decorate(decorated: Any) -> Any:
            return step(decorated, **options)

        return decorate
    name = options.pop("name", None) or getattr(function, "__name__", type(function).__name__)

    def call(*args: Any, **kwargs: Any) -> Any:
        return run_step(name, function, *args, **kwargs, **options)

    call.__name__, call.__doc__, call.__wrapped__ = name, function.__doc__, function  # pyright: ignore
    call.fn = function  # pyright: ignore[reportFunctionMemberAccess]
    return call


def now() -> Any:
    """Returns the time of the first attempt that came here, as an aware datetime."""
    import datetime

    return run_step("now", lambda: datetime.datetime.now(datetime.timezone.utc))


def chance() -> bytes:
    """Returns 32 bytes that are the same on every attempt, and others at each call."""
    import hashlib

    branch = current.get()
    if branch is None or not journal.active:
        raise DurableError("uuid() and random() need a run of its own process, and a thread that Runfleet knows")
    with lock:
        branch.counter += 1
        text = f"{journal.run_id}\0{branch.path}\0{branch.counter}"
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


def uuid() -> str:
    import uuid as uuids

    return str(uuids.UUID(bytes=chance()[:16], version=4))


def random() -> float:
    """Returns a number from 0 to below 1."""
    return (int.from_bytes(chance()[:7], "big") >> 3) / (1 << 53)


def settle_question() -> str:
    """Keeps what the run said before it asks a person, so that no attempt says it again. Returns the question's key."""
    place = journal.place("question", "interrupt", None)
    key = place["key"]
    if key in journal.entries:
        return key
    slot = journal.ask(key)
    journal.send({**place, "kind": "question", "try": 1, "args": None, "ok": True, "result": "null"})
    if in_loop():
        while slot.entry is None:
            if journal.is_readable(LOOK_S):
                journal.read()
    else:
        journal.wait(slot)
    return key


def begin_run(run_id: str, fd: int, kept: dict[str, Any] | None, rehearsal: dict[str, Any] | None = None) -> None:
    journal.fd = fd
    if rehearsal is not None:
        journal.rehearsal = load_part("rehearsal").Rehearsal(rehearsal)
    journal.begin(run_id, kept)
    before_questions.append(settle_question)
    answer_keys.extend((kept or {}).get("asked", []))
    call_agent.after_import = follow_imported
    call_agent.prepare_async = prepare_async


def prepare_async(coroutine: Any) -> Any:
    return load_part("async_steps").prepare(coroutine)


def end_run() -> None:
    """Raises when the code was caught at doing something else than in an earlier attempt."""
    await_steps()
    journal.give_up_left(list(journal.slots.values()))
    if journal.broken:
        raise journal.broken


def end_under_way() -> None:
    """The run ends with a question: what other threads have under way is kept before, and nothing new is begun."""
    journal.is_asking = True
    while journal.in_flight > 0:
        time.sleep(0.01)


def await_steps() -> None:
    """Waits for steps that other threads still do when the agent's function has returned."""
    if journal.in_flight == 0:
        return
    say_log("The agent's function returned while steps were under way; the run waits for them.")
    while journal.in_flight > 0:
        time.sleep(0.01)
