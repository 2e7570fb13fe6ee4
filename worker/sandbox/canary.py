"""What a hostile agent would try first. One JSON request on stdin, one JSON object {attempt: held} a line on fd 3."""

from __future__ import annotations

import json
import os
import socket
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

request: dict[str, Any] = json.load(sys.stdin)


def held(attempt: Callable[[], object]) -> bool:
    """Whether the sandbox stopped `attempt`: it raised, or answered False."""
    try:
        return attempt() is False
    except BaseException:
        return True


def read(path: str) -> bool:
    return len(open(path, "rb").read()) >= 0


def connect(family: socket.AddressFamily, address: str | tuple[str, int]) -> None:
    with socket.socket(family) as client:
        client.settimeout(1)
        client.connect(address)


def send_datagram() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
        client.sendto(b"x", ("127.0.0.1", request["udp"]))


def find_environment() -> bool:
    mark = request["mark"].encode()
    for pid in filter(str.isdigit, os.listdir("/proc")):
        if not held(lambda pid=pid: mark in open(f"/proc/{pid}/environ", "rb").read()):
            return True
    return False


def write(path: str) -> None:
    with open(path, "w") as file:
        file.write("x")


def call_libc(name: str, *args: int) -> bool:
    import ctypes

    return getattr(ctypes.CDLL(None), name)(*args) == 0


def datagram(path: str) -> bool:
    """Whether a socket of a pair can be pointed elsewhere. Of the wrong type means found, and not refused."""
    import errno

    for one in socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM):
        try:
            one.connect(path)
        except OSError as error:
            return error.errno == errno.EPROTOTYPE
    return True


def set_io_priority(pid: int) -> bool:
    number = {"x86_64": 251, "aarch64": 30}[os.uname().machine]
    return call_libc("syscall", number, 1, pid, 0)


def meddle(pid: int) -> dict[str, bool]:
    """What a process may do to another one of its user, without a signal and without ptrace."""
    results = {"priority": held(lambda: os.setpriority(os.PRIO_PROCESS, pid, 19))}
    if sys.platform.startswith("linux"):
        import resource

        results |= {
            "limits": held(lambda: resource.prlimit(pid, resource.RLIMIT_CPU, (1, 1))),
            "limits_read": held(lambda: resource.prlimit(pid, resource.RLIMIT_CPU)),
            "io_priority": held(lambda: set_io_priority(pid)),
            "affinity": held(lambda: os.sched_setaffinity(pid, os.sched_getaffinity(0))),
            "scheduler": held(lambda: os.sched_setscheduler(pid, os.SCHED_BATCH, os.sched_param(0))),
        }
    return results


def reach() -> dict[str, bool]:
    held(send_datagram)  # Sending proves nothing: the worker sees whether it arrives.
    results = {
        "secret_file": held(lambda: read(request["secret"])),
        "password_file": held(lambda: read("/etc/shadow")),
        "unix_socket": held(lambda: connect(socket.AF_UNIX, request["unix"])),
        "tcp_socket": held(lambda: connect(socket.AF_INET, ("127.0.0.1", request["tcp"]))),
        "write_outside": held(lambda: write(request["outside"])) and held(lambda: write("/usr/canary")),
        "file_mode": held(lambda: os.chmod(request["secret"], 0o600)),
        "file_times": held(lambda: os.utime(request["secret"], (0, 0))),
        "unix_datagram": held(lambda: datagram(request["unix"])),
        **meddle(request["decoy"]),
        "signal": held(lambda: os.kill(request["decoy"], 9)),
    }
    if sys.platform.startswith("linux"):
        results |= {
            "abstract_socket": held(lambda: connect(socket.AF_UNIX, "\0" + request["abstract"])),
            "environment": held(find_environment),
            "user_namespace": held(lambda: call_libc("unshare", 0x10000000)),
            "trace": held(lambda: call_libc("ptrace", 0, 0, 0, 0)),
        }
    return results


def fork_until(limit: int) -> bool | None:
    """Returns False when the kernel refused before `limit` children. Else waits for the sandbox to end all of this."""
    children: list[int] = []
    try:
        for _ in range(limit):
            pid = os.fork()
            if pid == 0:
                time.sleep(60)
                os._exit(0)
            children.append(pid)
        time.sleep(2)
    except OSError:
        return False
    finally:
        for pid in children:
            os.kill(pid, 9)
            os.waitpid(pid, 0)


def allocate(size: int) -> bool:
    """In a child, since a cgroup answers with SIGKILL."""
    pid = os.fork()
    if pid == 0:
        os._exit(1 if held(lambda: b"x" * size) else 0)
    return os.waitpid(pid, 0)[1] == 0


def limits() -> dict[str, bool]:
    return {
        "memory": held(lambda: allocate(request["memory_bytes"] * 2)),
        "disk": held(lambda: write_bytes("big", request["disk_bytes"] + 65536)),
    }


def forks() -> dict[str, bool]:
    return {"forks": held(lambda: fork_until(request["processes"] + 16))}


def write_bytes(path: str, size: int) -> None:
    with open(path, "wb") as file:
        file.write(b"x" * size)


def survive() -> None:
    """Leaves a process in a session of its own that holds our pipes; the worker then kills us."""
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.write(3, b'{"detached": true}\n')
            time.sleep(60)
        os._exit(0)
    time.sleep(60)


if request["attempt"] == "survive":
    survive()
else:
    results = {"reach": reach, "limits": limits, "forks": forks}[request["attempt"]]()
    os.write(3, json.dumps(results).encode() + b"\n")
