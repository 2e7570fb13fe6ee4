"""Steps of asyncio's code: futures, whose results are handed out in the order of the journal."""

# Functions of an agent are of any type.
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
# pyright: reportPrivateUsage=false

from __future__ import annotations

import asyncio
import contextvars
import functools

from _runfleet import load_part, step_values
from _runfleet.arguments import is_async
from _runfleet.branches import Branch, current, failures_of, follow_tasks, lock, make_task
from _runfleet.channel import flush, write_frame
from _runfleet.context import Continued, Interrupted
from _runfleet.idle import watch
from _runfleet.journal import failures_of_call, journal, say_log
from _runfleet.outcomes import Future, error_of, result_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from _runfleet.children import Child
    from _runfleet.steps import Call, Step
    from _runfleet.waits import Wait

HOLD_S = 0.03  # So long an entry that nobody asks for holds up those behind it.
MOST_SPINS = 200
LOOK_S = 0.005


class Order:
    """Hands out entries in the order of the journal, each when the loop has come to rest after the one before.

    So the same call is the first again, on every attempt.
    """

    def __init__(self) -> None:
        self.next = 0
        self.is_pumping = False
        self.is_over = False  # True once the agent's code has come to its end.
        self.spins = 0
        self.since = 0.0
        self.open: dict[str, tuple[str, Any]] = {}

    def attach(self, loop: Any) -> None:
        if journal.loop is loop:
            return
        if journal.is_read_by_loop():
            raise step_values.DurableError("Only one event loop at a time may do steps.")
        journal.loop, self.is_pumping = loop, False
        if loop.get_task_factory() is not make_task:
            loop.set_task_factory(make_task)  # A loop of another library.
        journal.arrived = lambda _: loop.call_soon_threadsafe(self.pump)
        loop.add_reader(journal.fd, journal.read)
        watch.begin()  # Threads that wait don't look at what goes on any more.

    def pump(self) -> None:
        if not self.is_pumping:
            self.is_pumping, self.spins, self.since = True, 0, journal.loop.time()
            journal.loop.call_soon(self.look)

    def look(self) -> None:
        loop = journal.loop
        if getattr(loop, "_ready", None) and self.spins < MOST_SPINS:
            self.spins += 1
            loop.call_soon(self.look)
            return
        order = journal.order
        while self.next < len(order) and self.is_done(order[self.next]):
            self.next += 1
        if self.next == len(order):
            self.is_pumping = False
        elif slot := journal.slots.pop(order[self.next], None):
            self.next += 1
            hand: Any = slot.hand
            hand(journal.entries[slot.key])
            self.go_on()
        elif not any(key in journal.slots for key in order[self.next :]):
            self.is_pumping = False
        elif loop.time() - self.since < HOLD_S:
            self.spins = 0
            loop.call_later(HOLD_S / 4, self.look)
        else:
            order.append(order.pop(self.next))  # Nobody asks for it now. It is given when somebody does.
            self.go_on()

    def is_done(self, key: str) -> bool:
        slot = journal.slots.get(key)
        if slot is None:
            return key in journal.used or journal.entries[key]["kind"] == "abandoned"
        return slot.hand is None

    def go_on(self) -> None:
        self.spins, self.since = 0, journal.loop.time()
        journal.loop.call_soon(self.look)


order = Order()


def hand_to(future: Any, call: Any) -> Any:
    """Returns what gives a call's entry to its future."""

    def hand(entry: dict[str, Any]) -> None:
        if future.done():
            return
        future.runfleet_failures = failures_of_call(call, entry)
        try:
            future.set_result(call.unwrap(entry))
        except Exception as error:
            future.set_exception(error)

    return hand


def begin_step(call: Call) -> Any:
    """Returns a future of the step's result. The step is begun at once."""
    loop = asyncio.get_running_loop()
    order.attach(loop)
    future: Any = Future(loop=loop)

    known = journal.entries.get(call.key)
    if (known and known["kind"] == "abandoned") or (journal.is_asking and not known):
        return future
    journal.futures[future] = [call.key]
    future.add_done_callback(forget_future)
    journal.ask(call.key, hand_to(future, call))
    if known:
        order.pump()
        return future
    driver = asyncio.Task(drive(call, future), loop=loop)
    order.open[call.key] = (call.name, driver)
    driver.add_done_callback(functools.partial(forget, call.key))

    def settle(done: Any) -> None:
        if not done.cancelled():
            error_of(done)  # Told, so that asyncio doesn't log it when nobody awaits the step.
        elif not Interrupted.raised:
            driver.cancel()

    future.add_done_callback(settle)
    return future


def begin_wait(wait: Wait) -> Any:
    """Returns a future of what a wait ends with. One that is cancelled is given up: no attempt answers it."""
    loop = asyncio.get_running_loop()
    order.attach(loop)
    future: Any = Future(loop=loop)

    def settle(done: Any) -> None:
        if done.cancelled():
            give_up_wait(wait)
        else:
            error_of(done)  # Told, so that asyncio doesn't log it when nobody awaits the wait.

    with lock:
        known = journal.entries.get(wait.key)
        if known is None or known["kind"] != "abandoned":
            journal.ask(wait.key, hand_to(future, wait), is_durable=known is None, takes=wait.takes)
    journal.futures[future] = [wait.key]
    future.add_done_callback(forget_future)
    if known is None:
        wait.open()
        watch.plan()
    elif known["kind"] != "abandoned":
        order.pump()
    future.add_done_callback(settle)
    return future


def begin_map(children: list[Child], return_errors: bool) -> Any:
    """Returns a future of the results of runs. They are given up together."""
    result: Any = Future(loop=asyncio.get_running_loop())
    futures = [begin_wait(child) for child in children]
    left = len(futures)

    def note(_: Any) -> None:
        nonlocal left
        left -= 1
        if left <= 0 and not result.done():
            ended = [future for future in futures if not future.cancelled()]
            results = [error_of(future) or result_of(future) for future in ended]
            result.runfleet_failures = sum(map(failures_of, ended), ())
            try:
                result.set_result(results if return_errors else load_part("children").raise_first(results))
            except step_values.DurableError as error:
                result.set_exception(error)

    def settle(done: Any) -> None:
        if not done.cancelled():
            error_of(done)
        for future in futures if done.cancelled() else ():
            future.cancel()

    journal.futures[result] = [child.key for child in children]
    result.add_done_callback(forget_future)
    result.add_done_callback(settle)
    for future in futures:
        future.add_done_callback(note)
    if not futures:
        note(None)
    return result


def begin_first(count: int, given: tuple[Any, ...]) -> Any:
    """Returns a future of what the first `count` of several futures end with. The others are given up."""
    if any(not hasattr(future, "add_done_callback") for future in given):
        raise TypeError("first() takes what sleep(), wait_for(), run_agent(), map() and step() have returned.")
    result: Any = Future(loop=asyncio.get_running_loop())
    ended: list[Any] = []
    failed = 0

    def note(future: Any) -> None:
        nonlocal failed
        error: Any = asyncio.CancelledError() if future.cancelled() else error_of(future)
        if result.done():
            return
        result.runfleet_failures = failures_of(result) + failures_of(future)
        if error is None:
            ended.append(result_of(future))
            if len(ended) == count:
                result.set_result(ended)
        else:
            failed += 1
            if failed > len(given) - count:
                result.set_exception(error)

    def settle(done: Any) -> None:
        journal.firsts.pop(done, None)
        if not done.cancelled():
            error_of(done)
        for future in given:
            future.cancel()

    journal.firsts[result] = (given, count, ended)
    journal.futures[result] = [key for future in given for key in journal.futures.get(future, ())]
    result.add_done_callback(forget_future)
    result.add_done_callback(settle)
    for future in given:
        future.add_done_callback(note)
    return result


def give_up_wait(wait: Wait) -> None:
    if journal.give_up(wait.key) and not order.is_over and not Interrupted.raised:
        write_frame("wait.abandon", key=wait.key)


def forget_future(future: Any) -> None:
    journal.futures.pop(future, None)


def forget(key: str, driver: Any) -> None:
    order.open.pop(key, None)
    if not driver.cancelled() and driver.exception() is not None:
        raise driver.exception()


async def drive(call: Call, future: Any) -> None:
    """Does the tries of a step, until one is kept. A step that is cancelled leaves no result."""
    step: Step | None = None
    try:
        while True:
            step = None
            if wait := call.left():
                await pause(call, wait)
            step = call.begin_try(interruptible=True)
            if await do_try(call, step):
                break
    except asyncio.CancelledError:
        give_up(call, step)
        raise
    try:
        await asyncio.wait([future])
    finally:
        with lock:
            journal.in_flight -= 1


async def pause(call: Call, seconds: float) -> None:
    """Waits for a step's next try. The process need not be there meanwhile."""
    loop = asyncio.get_running_loop()
    due: Any = loop.create_future()
    timer = loop.call_later(seconds, lambda: due.done() or due.set_result(None))
    journal.retries[call.key] = call.retry_at
    watch.own.add(timer)
    watch.plan()
    try:
        await due
    finally:
        timer.cancel()
        watch.own.discard(timer)
        journal.retries.pop(call.key, None)


async def do_try(call: Call, step: Step) -> bool:
    """Returns whether this was the last try."""
    branch = Branch(f"{call.key}~{call.number}", step)
    result, error = None, None
    try:
        result = await asyncio.wait_for(run_try(call, step, branch), to_seconds(call.timeout_ms))
    except asyncio.TimeoutError as fault:
        with lock:
            step.is_over = True
        if step.in_thread and journal.rehearsal is None:  # A rehearsal kills nothing.
            call.give_over()
            await asyncio.get_running_loop().create_future()  # The process ends before.
        error = fault if call.timeout_ms is None else call.timed_out()
    except Exception as fault:
        error = fault
    return call.end_try(step, result, error) is None


async def run_try(call: Call, step: Step, branch: Branch) -> Any:
    """A plain function is called in a thread, so that it doesn't hold up the loop."""
    current.set(branch)
    try:
        if is_async(call.function):
            return await call.invoke(step)
        loop, context = asyncio.get_running_loop(), contextvars.copy_context()
        invoke: Any = functools.partial(context.run, invoke_in_thread, call, step)
        result: Any = await loop.run_in_executor(None, invoke)
        return await result if hasattr(result, "__await__") else result
    finally:
        flush()


def invoke_in_thread(call: Call, step: Step) -> Any:
    with lock:
        if step.is_over:
            return None  # Its time was over before a thread was free.
        step.in_thread = True
    try:
        return call.invoke(step)
    finally:
        step.in_thread = False


def give_up(call: Call, step: Step | None) -> None:
    """Keeps that the code gave the step up: no attempt does it again, and none answers it."""
    with lock:
        journal.slots.pop(call.key, None)
        if step:
            step.is_over = True
            journal.in_flight -= 1
    if order.is_over or Interrupted.raised:
        return  # The loop ends, and with it what is under way.
    error = step_values.DurableError(f"Step '{call.name}' was cancelled.")
    journal.send({**call.fields_of(error, None), "kind": "abandoned"})


def to_seconds(ms: float | None) -> float | None:
    return None if ms is None else ms / 1000


def find_question(error: BaseException) -> Interrupted | None:
    """Returns the question that an error is, or that a TaskGroup's error has among others."""
    if isinstance(error, Interrupted):
        return error
    inner: Any = getattr(error, "exceptions", ())
    return next((found for part in inner if (found := find_question(part))), None)


async def end_under_way() -> None:
    """The run ends with a question: what other branches have under way is kept before, and nothing new is begun."""
    journal.is_asking = True
    while journal.sent or any(key not in journal.retries for key in order.open):
        await asyncio.sleep(LOOK_S)


def prepare(result: Any) -> Any:
    """Returns a coroutine of an agent's result, for a loop whose tasks are branches."""
    follow_tasks()
    return to_the_end(result)


async def to_the_end(result: Any) -> Any:
    """Awaits an agent's result, and then the steps that its code has begun and not awaited."""
    value, continued = None, None
    try:
        value = await result
    except Continued as error:
        continued = error
    except BaseException as error:
        question = find_question(error)
        if question:
            await end_under_way()
        order.is_over = True
        if question:
            raise question from None
        raise
    while order.open:
        names = sorted({name for name, _ in order.open.values()})
        say_log(f"Steps were begun and not awaited, and the run waits for them: {', '.join(names)}.")
        await asyncio.wait([driver for _, driver in order.open.values()])
    if journal.slots:
        await asyncio.sleep(0)  # What the code gave up in its last words is told: a signal that it had taken goes back.
    journal.give_up_left([slot for slot in journal.slots.values() if slot.hand])
    order.is_over = True
    if continued:
        raise continued
    return value
