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

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

LONGEST_PATH = 120
MOST_FAILURES = 100

current: Any = _contextvars.ContextVar("runfleet_branch", default=None)
lock = _thread.RLock()
ended: list[Callable[[Branch], None]] = []  # Called with a branch that ends.


class Branch:
    """`position`: its durable calls so far. `said`: whether it said something since. `step`: the try that it is in.

    `failures`: the keys of the failed calls that it may know of: its own, those of the branch that began it until then,
    and those of branches that it began and that have ended. `told`: how many of them its entries name.
    """

    __slots__ = ("counter", "failures", "forks", "parent", "path", "position", "said", "step", "told", "uses")

    def __init__(self, path: str, step: Any = None, parent: Branch | None = None) -> None:
        self.path, self.step, self.parent = path, step, parent
        self.failures: dict[str, None] = dict(parent.failures) if parent else {}
        self.told = 0
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
            return Branch(path, parent=self)

    def fail(self, key: str) -> None:
        """Notes that the branch was told of a call that has failed."""
        with lock:
            self.failures[key] = None

    def take_failures(self) -> list[str]:
        """Returns the newest of the failed calls that none of its entries names yet."""
        untold = list(self.failures)[self.told :]
        self.told = len(self.failures)
        return untold[-MOST_FAILURES:]


def name_of(function: Any) -> str:
    while hasattr(function, "func") and hasattr(function, "keywords"):  # functools.partial
        function = function.func
    return str(getattr(function, "__qualname__", type(function).__qualname__)).replace("<locals>.", "")[:LONGEST_PATH]


def end(branch: Branch) -> None:
    if branch.step is not None:
        return
    if branch.parent is not None:
        with lock:
            branch.parent.failures.update(branch.failures)
    for hear in ended:
        hear(branch)


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

        def run_branch() -> None:
            current.set(branch)
            try:
                run()
            finally:
                end(branch)

        self.run = run_branch
        return start(self)

    threading.Thread.start = start_branch


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

        return submit(self, run_job)

    submit_branch.follows = True  # pyright: ignore[reportFunctionMemberAccess]
    pool.submit = submit_branch


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

    init_loop.follows = True  # pyright: ignore[reportFunctionMemberAccess]
    base.__init__ = init_loop
    follow_pools()


def make_task(loop: Any, coroutine: Any, **options: Any) -> Any:
    import asyncio

    parent = current.get()
    if parent is None:
        return asyncio.Task(coroutine, loop=loop, **options)
    name = name_of(coroutine)
    branch = parent if name == "to_the_end" else parent.fork(name)
    context: Any = options.get("context") or _contextvars.copy_context()
    context.run(current.set, branch)
    if "context" in options or sys.version_info >= (3, 11):
        options["context"] = context
        task = asyncio.Task(coroutine, loop=loop, **options)
    else:
        task = context.run(asyncio.Task, coroutine, loop=loop, **options)  # It copies the context that it is made in.
    task.add_done_callback(lambda _: end(branch))
    return task
