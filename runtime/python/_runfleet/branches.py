"""Branches of a durable run: main, each asyncio task, each thread and each job of a pool.

A branch's path comes from its parent's path, the name of what it runs, and how many of that name its parent began
before. So it is the same on every attempt, whichever branch is faster.
"""

# Functions of an agent are of any type.
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
# pyright: reportUnknownParameterType=false, reportMissingParameterType=false, reportUnknownLambdaType=false

from __future__ import annotations

import _contextvars
import _thread
import sys

from _runfleet import load_part

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

LONGEST_PATH = 120
MOST_FAILURES = 4

current: Any = _contextvars.ContextVar("runfleet_branch", default=None)
lock = _thread.RLock()
ended: list[Callable[[Branch], None]] = []  # Called with a branch that ends.


class Branch:
    """`position`: its durable calls so far. `said`: whether it said something since. `step`: the try that it is in.

    `failures`: the keys of some failed calls that it has heard of, its parent's until it began included. A retry does
    all failed calls anew, so a few are enough to tell what came after one. `is_over`: its parent hears instead.
    """

    __slots__ = ("counter", "failures", "forks", "is_over", "parent", "path", "position", "said", "step", "uses")

    def __init__(self, path: str, step: Any = None, parent: Branch | None = None) -> None:
        self.path, self.step, self.parent, self.is_over = path, step, parent, False
        self.failures: tuple[str, ...] = parent.failures if parent else ()
        self.forks: dict[str, int] = {}
        self.uses: dict[str, int] = {}
        self.position = self.counter = 0
        self.said = False

    @property
    def segment(self) -> str:
        """The name of what the branch says between two durable calls, or of what one try of a step says."""
        return self.path if self.step else f"{self.path}@{self.position}"

    def fork(self, name: str) -> Branch:
        if self.step:
            return self  # What a step does by tasks and threads of its own belongs to its one try.
        with lock:
            count = self.forks[name] = self.forks.get(name, 0) + 1
            path = f"{self.path}/{name}~{count}"
            if len(path) > LONGEST_PATH:
                import hashlib

                path = f"main/{hashlib.sha256(path.encode('utf-8', 'surrogatepass')).hexdigest()[:32]}"
            self.parent = self.parent and self.parent.listener()  # A chain of ended ones isn't kept.
            return Branch(path, parent=self)

    def listener(self) -> Branch:
        """Returns itself, or what began it where it has ended."""
        branch = self
        while branch.is_over and branch.parent is not None:
            branch = branch.parent
        return branch

    def hear(self, failures: tuple[str, ...]) -> None:
        if not failures:
            return
        with lock:
            branch = self.listener()
            news = [key for key in failures if key not in branch.failures]
            branch.failures = (*branch.failures, *news)[-MOST_FAILURES:]


def name_of(function: Any) -> str:
    while hasattr(function, "func") and hasattr(function, "keywords"):  # functools.partial
        function = function.func
    return str(getattr(function, "__qualname__", type(function).__qualname__)).replace("<locals>.", "")[:LONGEST_PATH]


def failures_of(work: Any) -> tuple[str, ...]:
    """Returns the failed calls behind a thread, a job, a task, or the future of a call."""
    branch: Branch | None = getattr(work, "runfleet_branch", None)
    return branch.failures if branch is not None else getattr(work, "runfleet_failures", ())


def hear(failures: tuple[str, ...]) -> None:
    """Tells the branch that looks at an outcome of the failed calls behind it."""
    branch = current.get()
    if branch is not None and branch.step is None:
        branch.hear(failures)


def end(branch: Branch) -> None:
    if branch.step is not None:
        return
    branch.is_over = True
    for tell in ended:
        tell(branch)


def follow_threads() -> None:
    """Gives each thread, and each job of a thread pool, a branch of its own."""
    import threading

    start = threading.Thread.start

    def start_branch(self: Any) -> None:
        parent = current.get()
        target = getattr(self, "_target", None)
        if parent is None or getattr(target, "__module__", "") == "concurrent.futures.thread":
            return start(self)
        branch, run = parent.fork(name_of(target or type(self))), self.run
        self.runfleet_branch = branch

        def run_branch() -> None:
            current.set(branch)
            try:
                run()
            finally:
                end(branch)

        self.run = run_branch
        return start(self)

    join = threading.Thread.join

    def join_branch(self: Any, timeout: float | None = None) -> None:
        join(self, timeout)
        if not self.is_alive():
            hear(failures_of(self))

    threading.Thread.start, threading.Thread.join = start_branch, join_branch


def follow_imported() -> None:
    """Follows the tasks and pools of what the code has imported so far."""
    if "concurrent.futures" in sys.modules:
        follow_pools()
    if "asyncio" in sys.modules:
        follow_tasks()


def follow_pools() -> None:
    import concurrent.futures.thread

    pool: Any = concurrent.futures.thread.ThreadPoolExecutor
    submit = pool.submit
    if getattr(submit, "follows", False):
        return

    def submit_branch(self: Any, function: Any, /, *args: Any, **kwargs: Any) -> Any:
        parent = current.get()
        if parent is None:
            return submit(self, function, *args, **kwargs)
        # `asyncio.to_thread` calls its function in a copy of the caller's context.
        enter = function.func if name_of(function) == "Context.run" and hasattr(function, "args") else None
        branch = parent.fork(name_of(function.args[0] if enter else function))

        def run_job() -> Any:
            token = current.set(branch)
            try:
                if enter:
                    enter(current.set, branch)
                return function(*args, **kwargs)
            finally:
                end(branch)
                current.reset(token)

        future = submit(self, run_job)
        future.runfleet_branch = branch
        return future

    submit_branch.follows = True  # pyright: ignore[reportFunctionMemberAccess]
    pool.submit = submit_branch
    follow_results(concurrent.futures.Future)


def follow_results(future: Any) -> None:
    """Who looks at a job's outcome hears of the failed calls behind it."""

    def following(look: Any) -> Any:
        def look_at(self: Any, timeout: float | None = None) -> Any:
            try:
                return look(self, timeout)
            finally:
                if self.done():
                    hear(failures_of(self))
                del self  # The exception's traceback keeps this frame.

        return look_at

    future.result, future.exception = following(future.result), following(future.exception)


def follow_tasks() -> None:
    """Gives each asyncio task a branch of its own. A loop that was made before has none for its tasks."""
    import asyncio

    base: Any = asyncio.BaseEventLoop
    init = base.__init__
    if getattr(init, "follows", False):
        return

    def init_loop(self: Any, *args: Any, **kwargs: Any) -> None:
        init(self, *args, **kwargs)
        self._task_factory = make_task

    load_part("outcomes").follow_jobs()
    init_loop.follows = True  # pyright: ignore[reportFunctionMemberAccess]
    base.__init__ = init_loop
    follow_pools()


def make_task(loop: Any, coroutine: Any, **options: Any) -> Any:
    import asyncio

    parent = current.get()
    if parent is None:
        return asyncio.Task(coroutine, loop=loop, **options)
    outcomes: Any = load_part("outcomes")
    name = name_of(coroutine)
    branch = parent if name == "to_the_end" else parent.fork(name)
    context: Any = options.get("context") or _contextvars.copy_context()
    context.run(current.set, branch)
    if "context" in options or sys.version_info >= (3, 11):
        options["context"] = context
        task = outcomes.Task(coroutine, loop=loop, **options)
    else:
        task = context.run(outcomes.Task, coroutine, loop=loop, **options)  # It copies the context that it is made in.
    task.runfleet_branch = branch
    task.add_done_callback(lambda _: end(branch))
    return task
