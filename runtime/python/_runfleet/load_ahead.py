"""Loads an agent's module once for all its runs, and finds out whether forks can share it."""

from __future__ import annotations

import os

from _runfleet import call_agent, load_code
from _runfleet.channel import EVENTS_FD, flush, send
from _runfleet.files import SHARED_MEMORY, directories_of, write_files
from _runfleet.frameworks import set_up_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType
    from typing import Any

    Snapshot = tuple[set[str], int]

CHANNELS = (1, 2, 3)


class NotedEnviron(os._Environ[str] if TYPE_CHECKING else os._Environ):
    """The environment while a module is loaded: notes which variables the module reads and sets.

    A run may come with other values, and then can't share the module.
    """

    names: set[str] = set()  # noqa: RUF012 -- os.environ gets this class after it was made, so nothing sets it there.

    def note(self, name: str | bytes) -> None:
        self.names.add(name.decode() if isinstance(name, bytes) else name)

    def __getitem__(self, name: str) -> str:
        self.note(name)
        return super().__getitem__(name)

    def __setitem__(self, name: str, value: str) -> None:
        self.note(name)
        super().__setitem__(name, value)

    def __delitem__(self, name: str) -> None:
        self.note(name)
        super().__delitem__(name)

    def __iter__(self) -> Iterator[str]:
        self.names.add("*")
        return super().__iter__()


def load_agent(entrypoint: str, files: dict[str, str]) -> tuple[ModuleType | None, str | None, list[str]]:
    """Runs the agent's module, once for all runs. Returns (module, fault, names of variables).

    Without a module each run loads the code itself. With a fault the code did something that forks can't share. The
    code can make this process return anything: what could harm a later run is checked by pid 1.
    """
    work = os.getcwd()
    write_files(files)
    written = len({*files, *directories_of(files)})
    try:
        code = load_code.read_code(*load_code.split_entrypoint(entrypoint))
    except Exception:
        code = None  # It can't be read or parsed. Each run reports why.
    if code is None or code.script:
        return None, None, []
    before = {*os.listdir("/proc/self/fd")}, count_shared()
    os.environ.__class__, plain = NotedEnviron, os.environ.__class__
    with Silence() as silence:
        try:
            module = load_code.execute(code)
            name = entrypoint.partition(":")[2]
            set_up_module(module, name)
            call_agent.prepare(module, name, send)
            flush()
        except BaseException as error:
            return None, f"it raises {type(error).__name__} when it is imported", []
    os.environ.__class__ = plain
    os.chdir(work)
    os.umask(0o022)
    after = {*os.listdir("/proc/self/fd")}, count_shared()
    return module, find_fault(silence.broken, before, after, count_entries() != written), sorted(NotedEnviron.names)


class Silence:
    """Drops what is written to stdout, stderr and the channel. `broken`: whether something was written."""

    def __enter__(self) -> Silence:
        self.noise = os.memfd_create("noise")
        self.kept = [os.dup(fd) for fd in CHANNELS]
        for fd in CHANNELS:
            os.dup2(self.noise, fd, inheritable=fd != EVENTS_FD)
        return self

    def __exit__(self, *_: Any) -> None:
        self.broken = os.fstat(self.noise).st_size > 0
        for fd, kept in zip(CHANNELS, self.kept):
            os.dup2(kept, fd, inheritable=fd != EVENTS_FD)
            os.close(kept)
        os.close(self.noise)


def find_fault(wrote_output: bool, before: Snapshot, after: Snapshot, wrote_files: bool) -> str | None:
    """Returns why a module that was loaded here can't be forked, or None."""
    faults = {
        "writes output": wrote_output,
        "starts threads": len(os.listdir("/proc/self/task")) > 1,
        "starts processes": has_children(),
        "opens files or connections": before[0] != after[0],
        "shares memory": before[1] != after[1],
        "writes files": wrote_files,
    }
    return next((f"it {fault} when it is imported" for fault, found in faults.items() if found), None)


def has_children() -> bool:
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        return True
    except ChildProcessError:
        return False


def count_entries() -> int:
    """Returns how many files and directories are in the directories that the agent can write to."""
    writable = (os.getcwd(), os.path.join(os.path.dirname(os.getcwd()), "tmp"), SHARED_MEMORY)
    return sum(len(directories) + len(files) for path in writable for _, directories, files in os.walk(path))


def count_shared() -> int:
    with open("/proc/self/maps") as file:
        return sum(line.split(maxsplit=2)[1].endswith("s") for line in file)
