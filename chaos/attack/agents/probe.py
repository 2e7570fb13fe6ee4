"""Given to every attacking Python program: `probe` returns all that an earlier run of the version may have changed."""

from __future__ import annotations

import os
import resource
import signal
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

WORK = os.getcwd()
HAS_NAMESPACES = WORK.startswith("/run/agent")
PLACES = (WORK, "/tmp", "/dev/shm") if HAS_NAMESPACES else (WORK,)  # Elsewhere the others are the machine's.
STATE: list[object] = []


def syscall(*args: int | str | bytes) -> int:
    import ctypes

    libc = ctypes.CDLL(None, use_errno=True)
    found = libc.syscall(*[ctypes.c_long(arg) if isinstance(arg, int) else arg for arg in args])
    return -ctypes.get_errno() if found == -1 else found


def prctl(*args: int) -> int:
    return syscall(157, *(args + (0,) * (5 - len(args))))


def quietly(function: Callable[..., Any], *args: Any) -> Any:
    """The error's name in place of the error."""
    try:
        return function(*args)
    except BaseException as error:
        return type(error).__name__


def worked(attempts: dict[str, Callable[[], object]]) -> list[str]:
    """The names of those that neither raised nor answered with a negative number or False."""
    done: list[str] = []
    for name, attempt in attempts.items():
        try:
            found = attempt()
        except BaseException:
            continue
        if found is not False and not (isinstance(found, int) and found < 0):
            done.append(name)
    return done


def burn(seconds: float) -> None:
    until = time.process_time() + seconds
    while time.process_time() < until:
        pass


def others() -> list[int]:
    """Every process but this one; where none can be listed, those that may be."""
    try:
        found = [int(name) for name in os.listdir("/proc") if name.isdigit()]
    except OSError:
        found = range(max(os.getpid() - 300, 2), os.getpid() + 20)
    return [pid for pid in found if pid != os.getpid()]


def read(path: str) -> str:
    with open(path) as file:
        return file.read()


def lines(path: str) -> Any:
    return quietly(lambda: len(read(path).splitlines()))


def describe_fd(name: str) -> list[str]:
    target = quietly(os.readlink, "/proc/self/fd/" + name)
    return [name, target.partition(":")[0]]


def describe_place(place: str) -> dict[str, Any]:
    found = os.stat(place)
    space = os.statvfs(place)
    return {
        "names": sorted(os.listdir(place))[:50],
        "xattrs": quietly(os.listxattr, place),
        "mode": oct(found.st_mode),
        "owner": [found.st_uid == os.getuid(), found.st_gid == os.getgid()],
        "touched": [found.st_mtime > 1.7e9, found.st_atime > 1.6e9],
        "free": [space.f_bfree, space.f_ffree],
    }


def status() -> list[str]:
    wanted = (
        "Sig",
        "Shd",
        "Cap",
        "NoNew",
        "Seccomp",
        "Threads",
        "Groups",
        "Uid",
        "Gid",
        "VmLck",
        "VmPin",
        "Tracer",
        "Umask",
        "Speculation",
        "THP",
    )
    return [
        line
        for line in read("/proc/self/status").splitlines()
        if line.startswith(wanted) and not line.startswith("SigQ")
    ]


def name_handler(handler: object) -> str:
    """A function's text would have its address, which differs from process to process."""
    return getattr(handler, "__qualname__", str(handler))


def probe_process() -> dict[str, Any]:
    """What a process without namespaces has to itself. RLIMIT_NPROC depends on the user's other processes."""
    return {
        "limits": [resource.getrlimit(n) for n in range(16) if n != resource.RLIMIT_NPROC],
        "nice": os.getpriority(0, 0),
        "scheduler": [os.sched_getscheduler(0), os.sched_getparam(0).sched_priority, sorted(os.sched_getaffinity(0))],
        "prctl": [prctl(number) for number in (3, 7, 27, 30, 34, 39, 42)],
        "timers": [signal.getitimer(which) for which in (0, 1, 2)],
        "handlers": [name_handler(signal.getsignal(number)) for number in signal.valid_signals()],
        "blocked": sorted(signal.pthread_sigmask(signal.SIG_BLOCK, [])),
        "leader": [os.getsid(0) == os.getpid(), os.getpgrp() == os.getpid()],
        "own files": sorted(os.listdir(WORK))[:20],
        "environment": sorted(
            (name, value) for name, value in os.environ.items() if name not in ("TMPDIR", "HOME", "PWD")
        ),
        "state": STATE,
    }


def probe() -> dict[str, Any]:
    """How this run finds its sandbox. The same for each run of a version, and for each sandbox."""
    if not HAS_NAMESPACES:
        return probe_process()
    return {
        "network": [
            lines("/proc/net/" + name) for name in ("tcp", "tcp6", "udp", "udp6", "unix", "raw", "packet", "netlink")
        ],
        "sockets": quietly(lambda: read("/proc/net/sockstat").partition("TCP:")[2].split()[1:6:4]),
        "count": len([name for name in os.listdir("/proc") if name.isdigit()]),
        "limits": [resource.getrlimit(n) for n in range(16)],
        "nice": os.getpriority(0, 0),
        "scheduler": [os.sched_getscheduler(0), os.sched_getparam(0).sched_priority, sorted(os.sched_getaffinity(0))],
        "io class": syscall(252, 1, 0),
        "oom": read("/proc/self/oom_score_adj"),
        "timer slack": quietly(read, "/proc/self/timerslack_ns"),
        "core dumps": quietly(read, "/proc/self/coredump_filter"),
        "personality": syscall(135, 0xFFFFFFFF),
        "prctl": [prctl(number) for number in (3, 7, 27, 30, 34, 39, 42)],
        "status": status(),
        "name": read("/proc/self/comm"),
        "timers": [signal.getitimer(which) for which in (0, 1, 2)] + [quietly(read, "/proc/self/timers")],
        "handlers": [name_handler(signal.getsignal(number)) for number in signal.valid_signals()],
        "descriptors": [describe_fd(name) for name in sorted(os.listdir("/proc/self/fd"))[:-1]],
        "leader": [os.getsid(0) == os.getpid(), os.getpgrp() == os.getpid()],
        "places": [describe_place(place) for place in (*PLACES, "/run/agent")],
        "processes": sorted(int(name) for name in os.listdir("/proc") if name.isdigit())[:2],
        "environment": sorted(os.environ.items()),
        "modules": sorted(name for name in sys.modules if "mark" in name),
        "importers": len(sys.meta_path) + len(sys.path_hooks),
        "state": STATE,
        "host": os.uname().nodename,
        "project ids": quietly(read, "/proc/self/projid_map"),
        "pid_max": quietly(read, "/proc/sys/kernel/pid_max"),
        "shared maps": sum(line.split(maxsplit=2)[1].endswith("s") for line in read("/proc/self/maps").splitlines()),
        "locks": lines("/proc/locks"),
        "ipc": [lines("/proc/sysvipc/" + name) for name in ("shm", "sem", "msg")],
        "look": sys.modules["main"].look() if hasattr(sys.modules.get("main"), "look") else None,
    }


def act(program: dict[str, Any], input: dict[str, Any]) -> Any:
    return probe() if input["mode"] == "probe" else program["attack"](input)
