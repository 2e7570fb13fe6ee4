"""Starts a command confined on this side of the kernel, and ends every process that came of it.

Trusted, stdlib only; runs outside the confinement, as the uid that the command runs as. Arguments: the worker's pid,
the private working directory to make, limits, the seccomp filter in hex, readable paths for Landlock, then the command.
The environment of the command comes on fd 4 as NUL-separated NAME=value. One line goes back on fd 4 in the end: exit
code, signal, CPU milliseconds, largest resident set in bytes, 1 where it had more processes than it may.
"""

import os
import signal
import sys
import time

REPORT_FD = 4
PR_SET_PDEATHSIG, PR_SET_SECCOMP, PR_SET_CHILD_SUBREAPER, PR_SET_NO_NEW_PRIVS = 1, 22, 36, 38
# How many threads the user may start beside a run that shares the user's uid. Such a run is counted, so often.
GROWTH, COUNT_EVERY_S = 1024, 0.1
LINUX = sys.platform == "linux"
TYPE_CHECKING = False  # This program starts with every run: it loads nothing for its types alone.
if TYPE_CHECKING:
    from typing import Any, NoReturn

libc: "Any" = None
if sys.platform == "linux":
    import ctypes

    libc = ctypes.CDLL(None, use_errno=True)


def prctl(*args: int) -> None:
    if libc and libc.prctl(*map(ctypes.c_ulong, args + (0,) * (5 - len(args)))) != 0:
        raise OSError(ctypes.get_errno(), "prctl")


def count_tasks_of_user() -> int:
    """The threads of all processes of this user, which is what RLIMIT_NPROC counts."""
    if sys.platform != "linux":
        with os.popen(f"/bin/ps -U {os.getuid()} -o pid=") as listing:
            return len(listing.readlines())
    return sum(count_threads(pid) for pid in os.listdir("/proc") if pid.isdigit() and owns(pid))


def owns(pid: str) -> bool:
    try:
        return os.stat(f"/proc/{pid}").st_uid == os.getuid()
    except OSError:
        return False


def count_threads(pid: "str | int") -> int:
    try:
        return os.stat(f"/proc/{pid}/task").st_nlink - 2
    except OSError:
        return 0


def count_descendants() -> int:
    """Threads of all processes below this one. Orphans are among them, since this is their subreaper."""
    count, pids = 0, find_children()
    while pids:
        pid = pids.pop()
        count += count_threads(pid)
        pids += find_children(pid)
    return count


def set_limits(limits: "Any", own_uid: int) -> None:
    import resource

    def limit(which: int, soft: int, hard: "int | None" = None) -> None:
        ceiling = resource.getrlimit(which)[1]
        values = (soft, soft if hard is None else hard)
        resource.setrlimit(
            which, values if ceiling == resource.RLIM_INFINITY else (min(values[0], ceiling), min(values[1], ceiling))
        )

    cpu_s = -(-limits["cpu_ms"] // 1000)
    limit(resource.RLIMIT_CORE, 0)
    limit(resource.RLIMIT_NOFILE, 1024)
    limit(resource.RLIMIT_FSIZE, limits["disk_bytes"])
    limit(resource.RLIMIT_CPU, cpu_s, cpu_s + 1)
    # With a uid of its own: the supervisor. Else the kernel counts what else this user runs, which grows meanwhile.
    others = 1 if own_uid else count_tasks_of_user() + GROWTH
    limit(resource.RLIMIT_NPROC, limits["processes"] + others)
    if LINUX:
        limit(resource.RLIMIT_DATA if limits["reserves"] else resource.RLIMIT_AS, limits["memory_bytes"])


def restrict_files(directory: str, readable: list[str]) -> None:
    """Landlock (landlock.rst): read `readable`, write `directory` only; no TCP, signals or abstract sockets outside."""
    CREATE, ADD_RULE, RESTRICT = 444, 445, 446
    abi = libc.syscall(CREATE, None, ctypes.c_size_t(0), 1)
    if abi < 1:
        raise OSError(ctypes.get_errno(), "Landlock")
    bits = {1: 13, 2: 14, 3: 15, 4: 15}.get(abi, 16)
    every, read = (1 << bits) - 1, 0b1101  # EXECUTE | READ_FILE | READ_DIR
    on_files = every & 0b1100000000000111  # EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEV
    attributes = (ctypes.c_uint64 * 3)(every, 0b11, 0b11)
    size = 8 if abi < 4 else 16 if abi < 6 else 24
    ruleset = libc.syscall(CREATE, attributes, ctypes.c_size_t(size), 0)
    if ruleset < 0:
        raise OSError(ctypes.get_errno(), "Landlock")
    devices = ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"]
    for path, access in [(directory, every)] + [(p, read) for p in readable] + [(p, read | 2) for p in devices]:
        try:
            fd = os.open(path, 0o10000000 | os.O_CLOEXEC)  # O_PATH
        except OSError:
            continue
        rights = access if os.path.isdir(path) else access & on_files
        rule = rights.to_bytes(8, sys.byteorder) + fd.to_bytes(4, sys.byteorder)
        if libc.syscall(ADD_RULE, ruleset, 1, rule, 0) != 0:
            raise OSError(ctypes.get_errno(), "Landlock rule " + path)
        os.close(fd)
    if libc.syscall(RESTRICT, ruleset, 0) != 0:
        raise OSError(ctypes.get_errno(), "Landlock")


def filter_calls(program: bytes) -> None:
    class SockFprog(ctypes.Structure):
        _fields_ = [("length", ctypes.c_ushort), ("filter", ctypes.c_char_p)]

    fprog = SockFprog(len(program) // 8, program)
    if libc.prctl(PR_SET_SECCOMP, 2, ctypes.byref(fprog), 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "seccomp")


def become(options: "dict[str, Any]", env: dict[str, str], command: list[str]) -> "NoReturn":
    """In the child: confined step by step, then the command. Never returns."""
    try:
        os.setsid()
        prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        signal.signal(signal.SIGUSR1, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, [])
        os.chdir(options["directory"])
        os.set_inheritable(REPORT_FD, False)
        os.set_inheritable(3, True)
        set_limits(options, options["own_uid"])
        prctl(PR_SET_NO_NEW_PRIVS, 1)
        if options["readable"]:
            restrict_files(options["directory"], options["readable"])
        if options["filter"]:
            filter_calls(options["filter"])
        os.execve(command[0], command, env)
    except BaseException as error:
        os.write(2, f"sandbox: {type(error).__name__}: {error}\n".encode())
    os._exit(126)


def find_children(pid: "str | int" = "self") -> list[int]:
    children: list[int] = []
    try:
        for thread in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{thread}/children") as file:
                children += [int(child) for child in file.read().split()]
    except OSError:
        pass
    return children


def end_all(main_pid: int, own_uid: int) -> None:
    """Kills until nothing is left. Orphans come to us (subreaper); with a uid of our own one call reaches all of it."""
    deadline = time.monotonic() + 5
    while time.monotonic() < deadline:
        try:
            # As root the first call would reach every process of the machine.
            os.kill(-1, signal.SIGKILL) if own_uid and os.getuid() != 0 else os.killpg(main_pid, signal.SIGKILL)
        except OSError:
            pass
        # No pause: a process that forks and exits in turns is caught only by being faster.
        for pid in find_children():
            os.kill(pid, signal.SIGKILL)
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return


def read_all(fd: int) -> bytes:
    data = b""
    while part := os.read(fd, 65536):
        data += part
    return data


def await_child(child: int, limit: "int | None") -> tuple[int, bool]:
    """Reaps until `child` is gone. Returns its status, and whether it was ended for more than `limit` threads."""
    count_at = time.monotonic() + COUNT_EVERY_S
    while True:
        try:
            pid, status = os.waitpid(-1, 0 if limit is None else os.WNOHANG)
        except ChildProcessError:
            return signal.SIGKILL, False
        if pid == child:
            return status, False
        if pid == 0:
            signal.sigtimedwait([signal.SIGCHLD], COUNT_EVERY_S)
        if limit is not None and time.monotonic() >= count_at:
            if count_descendants() > limit:
                return signal.SIGKILL, True
            count_at = time.monotonic() + COUNT_EVERY_S


def main(worker_pid: str, directory: str, limits: str, program: str, readable: str, *command: str) -> None:
    names = ("cpu_ms", "memory_bytes", "processes", "disk_bytes", "own_uid", "reserves")
    options: dict[str, Any] = {
        **dict(zip(names, map(int, limits.split(",")))),
        "directory": directory,
        "filter": bytes.fromhex(program),
    }
    options["readable"] = [path for path in readable.split(":") if path]

    def on_terminate(*_: object) -> None:
        end_all(child, options["own_uid"])

    def on_ask(*_: object) -> None:
        os.kill(child, signal.SIGTERM)

    signal.signal(signal.SIGTERM, on_terminate)
    signal.signal(signal.SIGUSR1, on_ask)
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM, signal.SIGUSR1, signal.SIGCHLD])
    prctl(PR_SET_CHILD_SUBREAPER, 1)
    prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() != int(worker_pid):
        return
    env = dict(pair.split("=", 1) for pair in os.fsdecode(read_all(REPORT_FD)).split("\0") if pair)
    os.mkdir(directory, 0o700)
    child = os.fork()
    if child == 0:
        become(options, env, list(command))
    for fd in (0, 1, 2, 3):
        os.close(fd)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGTERM, signal.SIGUSR1])
    limit = None if options["own_uid"] or not LINUX else options["processes"]
    status, is_over = await_child(child, limit)
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM, signal.SIGUSR1])
    end_all(child, options["own_uid"])
    import resource

    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    rss = usage.ru_maxrss * (1024 if LINUX else 1)
    code, number = (-1, os.WTERMSIG(status)) if os.WIFSIGNALED(status) else (os.WEXITSTATUS(status), 0)
    cpu_ms = int((usage.ru_utime + usage.ru_stime) * 1000)
    os.write(REPORT_FD, f"{code} {number} {cpu_ms} {rss} {int(is_over)}\n".encode())
    os._exit(0)


main(*sys.argv[1:])
