"""System calls that Python has no function for.

Uses `_ctypes`, without the types of `ctypes`: each fork would copy their pages.
"""

from __future__ import annotations

import _ctypes
import os
import struct

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

numbers: dict[str, tuple[int, int, int, int]] = {"x86_64": (56, 126, 274, 273), "aarch64": (220, 91, 100, 99)}
CLONE, CAPSET, GET_ROBUST_LIST, SET_ROBUST_LIST = numbers.get(os.uname().machine, (None,) * 4)
CLONE_PARENT, CLONE_CHILD_CLEARTID, CLONE_CHILD_SETTID, SIGCHLD = 0x8000, 0x200000, 0x1000000, 17
PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_SECCOMP, PR_CAP_AMBIENT, CLEAR_ALL = 1, 4, 22, 47, 4
SECCOMP_MODE_FILTER = 2
CAPABILITY_VERSION = 0x20080522


class Long(_ctypes._SimpleCData[int] if TYPE_CHECKING else _ctypes._SimpleCData):
    _type_ = "l"


class Int(_ctypes._SimpleCData[int] if TYPE_CHECKING else _ctypes._SimpleCData):
    _type_ = "i"


class Byte(_ctypes._SimpleCData[int] if TYPE_CHECKING else _ctypes._SimpleCData):
    _type_ = "B"


class Function(_ctypes.CFuncPtr):
    """A C function that is called while this thread holds the interpreter's lock, as a fork must be."""

    _flags_ = 1 | 4
    _restype_ = Long


class Procedure(_ctypes.CFuncPtr):
    _flags_ = 1 | 4
    _restype_ = None


no_library: Any = None
program = _ctypes.dlopen(no_library, 0)  # The running program and what it is linked with.
syscall, prctl = (Function(_ctypes.dlsym(program, name)) for name in ("syscall", "prctl"))
before_fork, after_in_parent, after_in_child = (
    Procedure(_ctypes.dlsym(program, "PyOS_" + name)) for name in ("BeforeFork", "AfterFork_Parent", "AfterFork_Child")
)


def array_of(data: bytes) -> Any:
    array: Any = type("Bytes", (_ctypes.Array,), {"_length_": len(data), "_type_": Byte})
    return array(*data)


def set_dumpable(value: int) -> None:
    """With 0, no process of the same uid can read this process's /proc or trace it."""
    prctl(PR_SET_DUMPABLE, value, 0, 0, 0)


def drop_capabilities() -> None:
    header, nothing = array_of(struct.pack("Ii", CAPABILITY_VERSION, 0)), array_of(bytes(24))
    prctl(PR_CAP_AMBIENT, CLEAR_ALL, 0, 0, 0)
    if syscall(CAPSET, Long(_ctypes.addressof(header)), Long(_ctypes.addressof(nothing))) != 0:
        raise OSError("capset")


def add_seccomp_filter(filter_: bytes) -> None:
    """Adds a filter, a `struct sock_filter[]`, to this process and its future children."""
    code = array_of(filter_)
    fprog = array_of(struct.pack("HxxxxxxQ", len(filter_) // 8, _ctypes.addressof(code)))
    if prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, Long(_ctypes.addressof(fprog)), 0, 0) != 0:
        raise OSError("seccomp")


class SiblingFork:
    """Forks as `os.fork` does, but the child's parent is this process's parent, which can wait for the child.

    Python's fork handlers run; those of libc (pthread_atfork) don't, so the process must have one thread only. libc
    keeps the thread's id beside its list of robust mutexes, and the child's must be written there. Raises OSError where
    the id isn't found: with another libc than glibc, or on another architecture than x86-64 and arm64.
    """

    def __init__(self) -> None:
        if CLONE is None:
            raise OSError("this architecture isn't known")
        head, length = Long(0), Long(0)
        syscall(GET_ROBUST_LIST, 0, Long(_ctypes.addressof(head)), Long(_ctypes.addressof(length)))
        place = head.value - 16  # glibc's `struct pthread`: tid, pid, robust_prev, robust_head.
        if Int.from_address(place).value != os.getpid():
            raise OSError("libc's thread id isn't found")
        self.tid, self.robust_head, self.robust_length = Long(place), head, length
        self.tail = (self.tid, Long(0)) if CLONE == 56 else (Long(0), self.tid)

    def __call__(self) -> int:
        """Returns the child's pid, and 0 in the child."""
        before_fork()
        pid = syscall(
            CLONE,
            Long(CLONE_PARENT | CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID | SIGCHLD),
            Long(0),
            Long(0),
            *self.tail,
        )
        if pid == 0:
            syscall(SET_ROBUST_LIST, self.robust_head, self.robust_length)
            after_in_child()
        else:
            after_in_parent()
        return pid
