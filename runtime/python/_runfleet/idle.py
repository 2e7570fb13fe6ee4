"""Whether anything but the service can make a durable run go on. If not, its process need not wait for it.

When unsure, the process stays. It says `idle` with what it has heard so far, and `busy` when that is over.
"""

# Threads, tasks and frames are of any type.
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
# pyright: reportPrivateUsage=false

from __future__ import annotations

import _thread
import sys
import time

from _runfleet import load_part
from _runfleet.branches import lock
from _runfleet.channel import channel
from _runfleet.journal import journal, say_log, write_unowned

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

LOOKS_S = (0.01, 0.01, 0.02, 0.05, 0.1, 0.25)  # The time to the next look at what goes on.
TELL_AFTER_S = 5.0
MOST_CONDITIONS = 1_000
JOINS = {"_wait_for_tstate_lock", "join"}


class Idleness:
    """`said`: what was heard and sent when `idle` was said. `seen`: the same when all was calm at the last look."""

    def __init__(self) -> None:
        self.said: tuple[int, int] | None = None
        self.seen: tuple[int, int] | None = None
        self.since = 0.0
        self.is_told = False

    def look(self, why_busy: str | None, conditions: Callable[[], list[dict[str, Any]]] = list) -> None:
        """Two looks that find the same make it sure. `conditions`: gives what must come before the code goes on."""
        now = (journal.received, channel.sent)
        if self.said is not None and (why_busy or self.said != now):
            self.said = None
            if why_busy:
                write_unowned("busy", {})
        if why_busy:
            self.seen = None
            self.tell(why_busy)
        elif self.seen != now:
            self.seen = now
        elif self.said is None:
            wakes_at = min(journal.retries.values(), default=None)
            fields = {"seen": journal.received, "wakes_at": wakes_at, "conditions": conditions()}
            write_unowned("idle", fields)
            self.seen = self.said = (journal.received, channel.sent)

    def tell(self, why_busy: str) -> None:
        if self.is_told or not journal.durable:
            return
        self.since = self.since or time.monotonic()
        if time.monotonic() - self.since > TELL_AFTER_S:
            self.is_told = True
            say_log(f"The run waits and keeps its process, because {why_busy}.")


idleness = Idleness()


def is_waiting() -> bool:
    """True when nothing but durable waits is under way, as far as the journal knows."""
    waits = bool(journal.durable or journal.retries) and not journal.is_warm
    return waits and journal.in_flight == 0 and not journal.sent


def look_at_threads() -> None:
    if is_waiting():
        idleness.look(busy_thread()[0], conditions_of)


def busy_thread(loop_thread: int = 0) -> tuple[str | None, bool]:
    """Returns what goes on beside durable waits, or None; whether a daemon thread works. `loop_thread`: left out."""
    threading: Any = sys.modules.get("threading")
    if threading is None:
        return None, False
    frames, waits_for_other, daemon = sys._current_frames(), False, False
    for thread in threading.enumerate():
        slot = journal.blocked.get(thread.ident)
        if (slot is not None and slot.is_open()) or thread.ident == loop_thread:
            continue
        if slot is not None:
            return "a wait was just answered", daemon  # Its thread is not awake yet.
        frame: Any = frames.get(thread.ident)
        if frame is None or is_idle_worker(frame):
            continue
        if is_joining(frame):
            waits_for_other = True
        elif thread.daemon:
            daemon = True
        else:
            return f"the thread '{thread.name}' is at work", daemon
    return ("a daemon thread may set going what other threads wait for" if waits_for_other and daemon else None), daemon


def is_idle_worker(frame: Any) -> bool:
    """A thread of a pool that waits for a job."""
    return frame.f_code.co_name == "_worker" and frame.f_globals.get("__name__") == "concurrent.futures.thread"


def is_joining(frame: Any) -> bool:
    """True for a thread that waits for another one without a time limit."""
    if frame.f_globals.get("__name__") != "threading":
        return False
    name, timeout = frame.f_code.co_name, frame.f_locals.get("timeout")
    return (name == "wait" and timeout is None) or (name in JOINS and timeout in (None, -1))


class LoopWatch:
    """Looks at an asyncio loop while its code waits. Everything about a loop that isn't known makes it busy."""

    def __init__(self) -> None:
        self.looks = 0
        self.is_planned = False
        self.own: set[Any] = set()  # Timers of ours.

    def begin(self) -> None:
        """Looks at a loop that is read from now on. The one before may have been closed with its timer."""
        self.is_planned, self.own = False, set()
        self.plan()

    def plan(self, anew: bool = True) -> None:
        """Looks in a while. `anew`: something has happened."""
        if anew:
            self.looks = 0
        if not self.is_planned and journal.is_read_by_loop():
            self.is_planned = True
            handle = journal.loop.call_later(LOOKS_S[min(self.looks, len(LOOKS_S) - 1)], self.look)
            self.own = {timer for timer in self.own if not timer.cancelled() and timer.when() > journal.loop.time()}
            self.own.add(handle)

    def look(self) -> None:
        self.is_planned = False
        self.looks += 1
        if not (journal.durable or journal.retries):
            return
        if is_waiting():
            idleness.look(self.busy(), lambda: conditions_of(all_tasks(journal.loop)))
        self.plan(anew=False)

    def busy(self) -> str | None:
        order, loop = load_part("async_steps").order, journal.loop
        if order.is_pumping or getattr(loop, "_ready", True):
            return "its event loop is at work, or is of another kind than asyncio's"
        for timer in getattr(loop, "_scheduled", ()):
            if not timer.cancelled() and timer not in self.own:
                return "a timer of asyncio is set: context.sleep() and a wait's timeout need no process"
        why, daemon = busy_thread(_thread.get_ident())
        if why:
            return why
        drivers = {driver for _, driver in order.open.values()}
        worst = max((rank_task(task, {}) for task in all_tasks(loop) if task not in drivers), default=0)
        if worst == 0:
            return None
        selector = getattr(loop, "_selector", None)
        if worst == 1 and not daemon and selector is not None and len(selector.get_map()) <= 2:
            return None  # No socket is open that could set what a task waits for.
        return "a task waits for something that is no durable wait"


def all_tasks(loop: Any) -> Any:
    import asyncio

    return asyncio.all_tasks(loop)


def rank_task(task: Any, seen: dict[int, int]) -> int:
    """Returns 0 for a task that waits for durable waits, 1 for a future, 2 for one that can go on."""
    import asyncio

    waiter = getattr(task, "_fut_waiter", None)
    if waiter is None:
        return 2
    rank = rank_future(waiter, seen)
    if rank != 1:
        return rank
    # asyncio.wait and a TaskGroup wait by a plain future, but it is known what sets it.
    frame = innermost_frame(task.get_coro())
    if frame is None:
        return rank
    if frame.f_code is asyncio.tasks._wait.__code__:  # pyright: ignore
        return max((rank_future(future, seen) for future in frame.f_locals["fs"]), default=1)
    group: Any = getattr(asyncio, "TaskGroup", None)
    if group is not None and frame.f_code is group.__aexit__.__code__:
        return max((rank_future(future, seen) for future in frame.f_locals["self"]._tasks), default=1)
    return rank


def innermost_frame(coroutine: Any) -> Any:
    while True:
        inner = next(
            (
                found
                for name in ("cr_await", "ag_await", "gi_yieldfrom")
                if (found := getattr(coroutine, name, None)) is not None and hasattr(found, "cr_frame")
            ),
            None,
        )
        if inner is None:
            return getattr(coroutine, "cr_frame", None)
        coroutine = inner


def rank_future(future: Any, seen: dict[int, int]) -> int:
    import asyncio

    if future.done() or future in journal.futures:
        return 0
    if id(future) in seen:
        return seen[id(future)]
    seen[id(future)] = 0
    rank = 1
    if isinstance(future, asyncio.Task):
        rank = rank_task(future, seen)
    elif isinstance(future, asyncio.tasks._GatheringFuture):  # pyright: ignore
        rank = max((rank_future(child, seen) for child in future._children), default=0)
    seen[id(future)] = rank
    return rank


def conditions_of(tasks: Any = ()) -> list[dict[str, Any]]:
    """Returns which durable futures tasks wait for together. One that anything else looks at wakes the run alone."""
    groups = [group for task in tasks if (group := group_of(task))]
    counts: dict[int, int] = {}
    for _, futures in groups:
        for future in futures:
            counts[id(future)] = counts.get(id(future), 0) + 1
    found = first_conditions()
    for or_failed, futures in groups:
        # Its own two callbacks, and that of what waits for it.
        alone = [future for future in futures if counts[id(future)] == 1 and len(future._callbacks or ()) <= 3]
        if alone:
            keys = [key for future in alone for key in journal.futures[future]]
            found.append({"keys": keys, "most_open": 0, "or_failed": or_failed})
    found += [{"keys": keys, "most_open": 0, "or_failed": False} for keys in journal.groups.values()]
    return without_repeats(found)


def first_conditions() -> list[dict[str, Any]]:
    """Returns when the first of several are there. One that anything else looks at wakes the run alone."""
    found: list[dict[str, Any]] = []
    for given, count, ended in journal.firsts.values():
        left = [future for future in given if not future.done()]
        keys = [key for future in left for key in journal.futures.get(future, ())]
        is_plain = len(keys) == len(left) and all(key in journal.durable for key in keys)
        # Its own two callbacks, and that of what takes the first.
        if is_plain and all(len(future._callbacks or ()) <= 3 for future in left):
            failed = len(given) - len(left) - len(ended)
            most_open = len(left) - count + len(ended)
            found.append({"keys": keys, "most_open": most_open, "or_failed": failed == len(given) - count})
    return found


def without_repeats(conditions: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Leaves out waits that are over, and of each wait all conditions but the first."""
    used: set[str] = set()
    left: list[dict[str, Any]] = []
    for condition in conditions:
        keys = [key for key in condition["keys"] if key in journal.durable and key not in used]
        used.update(keys)
        if len(keys) > 1:
            left.append({**condition, "keys": keys})
    return left[:MOST_CONDITIONS]


def group_of(task: Any) -> tuple[bool, list[Any]] | None:
    """Returns the durable futures of which a task needs all, and whether it goes on when one has failed."""
    import asyncio

    waiter: Any = getattr(task, "_fut_waiter", None)
    if waiter is None:
        return None
    if isinstance(waiter, asyncio.tasks._GatheringFuture):  # pyright: ignore
        children: Any = waiter._children  # pyright: ignore
        return True, durable_of(children)
    frame = innermost_frame(task.get_coro())
    if frame is None or frame.f_code is not asyncio.tasks._wait.__code__:  # pyright: ignore
        return None
    when, futures = frame.f_locals["return_when"], frame.f_locals["fs"]
    return None if when == asyncio.FIRST_COMPLETED else (when == asyncio.FIRST_EXCEPTION, durable_of(futures))


def durable_of(futures: Any) -> list[Any]:
    import asyncio

    found: list[Any] = []
    for future in set(futures):
        if isinstance(future, asyncio.tasks._GatheringFuture):  # pyright: ignore
            # Something besides may look at it.
            found += durable_of(future._children) if len(future._callbacks or ()) <= 1 else []
        elif not future.done() and future in journal.futures and future not in journal.firsts:
            found.append(future)
    return found


watch = LoopWatch()


def wait_readable(slot: Any, looks: int) -> bool:
    """Waits for something from the worker, for a while. Returns whether it has come."""
    wait = LOOKS_S[min(looks, len(LOOKS_S) - 1)]
    if slot.deadline is not None:
        wait = max(0.0, min(wait, slot.deadline - time.monotonic()))
    return journal.is_readable(wait)


def block(slot: Any) -> None:
    """Reads for a durable wait in this thread, and looks at the others while nothing comes, until a loop reads."""
    looks = 0
    while slot.is_open() and not journal.is_read_by_loop():
        if wait_readable(slot, looks):
            looks = 0
            journal.read()
        else:
            looks += 1
            look_at_threads()


def leave() -> None:
    """Ends the process, which the run doesn't need while it waits: nothing of the code's is executed."""
    import os

    with lock:
        os._exit(0)
