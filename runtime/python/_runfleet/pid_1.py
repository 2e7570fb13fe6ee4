"""Pid 1 of a warm sandbox. It never runs a line of the author's code.

It alone holds the control channel to the worker. Pid 2, the template, loads the author's code and forks at a signal.
Each fork is a child of this process and gets new pipes. The worker holds the other ends of two of them, for the
request and the events, which it opens by this process's /proc. This process relays stdout and stderr, which are mostly
empty. All that it reports comes from the kernel. A violation ends this process, and so the sandbox. The worker keeps
the deadlines: it kills the sandbox.

A worker that is root gives a sandbox two user ids: 0 inside is this process's, 1000 the author's. An ordinary user has
one id only. Then this process is protected by a capability that the author's code doesn't have, by being undumpable,
and by the second seccomp filter.

Frames, both ways: type (1 byte), stream (1), zero (2), length (4, big-endian), body. From the worker: T start, L load,
K ask a run to end (its number, counted from 1). To the worker: S started, L loaded, P a process waits (its two
descriptors), D data, E end, C clean.
"""

from __future__ import annotations

import _socket
import _struct
import gc
import os
import select
import signal
import time

from _runfleet import encode_json, template
from _runfleet.files import directories_of
from _runfleet.kernel import set_dumpable
from _runfleet.run_directories import RunDirectories

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn

    Scheduling = tuple[bytes, ...]
    Report = tuple[int, int, int, bool]

TEMPLATE = 2
TEMPLATE_ID = 1000  # The user and group id of the author's code where there are two.
SIGUSR1 = int(signal.SIGUSR1)
WAITS_FOR_SIGNAL = (b"128", b"137")  # rt_sigtimedwait of x86_64 and aarch64.
PIPE_SOCKET = "\0runfleet"  # An abstract socket, visible in the sandbox's own network namespace only.
STDOUT, STDERR = 1, 2
CHUNK = 65_536
SMALL = 4_096
MAX_ANSWER = 65_536
MAX_ROUNDS = 2_000
MAX_DYING_S = 5
SLEEP_CPU_NS = 500_000_000
NETWORK_ROUNDS = 20
COUNTS_DESCRIPTORS = os.stat("/proc/self/fd").st_size > 0  # Since Linux 6.2.

header = _struct.Struct("!BBHI")
report = _struct.Struct("!iQQBB")


class Violation(Exception):
    """Something that only hostile code does."""


class Control:
    """The channel to the worker."""

    def __init__(self, fd: int) -> None:
        self.socket: Any = _socket.socket(fileno=fd)

    def send(self, data: bytes) -> None:
        self.socket.sendall(data)

    def receive(self, expected: bytes) -> bytes:
        type_, _, _, length = header.unpack(self.read(header.size))
        if type_ != expected[0]:
            raise Violation("an unknown command")
        return self.read(length)

    def read(self, length: int) -> bytes:
        data = b""
        while len(data) < length:
            part = self.socket.recv(length - len(data), _socket.MSG_WAITALL)
            if not part:
                os._exit(0)  # The worker is gone.
            data += part
        return data


def frame(type_: bytes, body: bytes = b"", stream: int = 0) -> bytes:
    return header.pack(type_[0], stream, 0, len(body)) + body


class Watch:
    """What the kernel tells about the template, by files of /proc that stay open and are read again.

    Once the template is undumpable, only a process with CAP_SYS_PTRACE can read some of them. With one user id, no
    process of the sandbox can open them then.
    """

    def __init__(self, has_egress: bool) -> None:
        def open_(name: str) -> int:
            return os.open(f"/proc/{name}", os.O_RDONLY | os.O_CLOEXEC)

        self.own_children, self.its_children = open_("1/task/1/children"), open_("2/task/2/children")
        self.syscall_fd = open_("2/syscall")
        self.stat_fd, self.schedstat_fd, self.status_fd = open_("2/stat"), open_("2/schedstat"), open_("2/status")
        self.reported_ns = 0
        self.pending_before = b""  # The signals that were pending when the code had been loaded.
        self.has_egress = has_egress
        self.sockets_fd = open_("1/net/sockstat")
        self.tcp, self.max_sockets = self.sockets()
        self.descriptors = open_("2/fd")
        self.shared = shared_in(read_maps(1))  # What every process that uses libc shares.
        self.maps = b""

    def children(self) -> bytes:
        return os.pread(self.own_children, 4096, 0)

    def is_alone(self) -> bool:
        """True when no third process exists. A process that loses its parent becomes a child of this one."""
        return os.pread(self.own_children, 64, 0) == b"2 " and os.pread(self.its_children, 64, 0) == b""

    def schedstat(self) -> bytes:
        """Returns the template's CPU time in ns, and how often it ran. Both the same as before: it did nothing."""
        return os.pread(self.schedstat_fd, 128, 0)

    def cpu_ns(self) -> int:
        return int(self.schedstat().split(None, 1)[0])

    def take_cpu_ns(self) -> int:
        """Returns the template's CPU time since the last call."""
        before, self.reported_ns = self.reported_ns, self.cpu_ns()
        return self.reported_ns - before

    def scheduling(self) -> tuple[bytes, Scheduling]:
        """Returns (state, (group, session, threads, priority, nice, scheduling class, real-time priority)).

        proc(5) names the fields.
        """
        fields = os.pread(self.stat_fd, 2048, 0).rpartition(b")")[2].split()
        return fields[0], (*fields[2:4], fields[17], fields[15], fields[16], fields[38], fields[37])

    def pending(self) -> bytes:
        """Returns the template's pending signals. A run could send them, and a later run could read them."""
        return os.pread(self.status_fd, 4096, 0).partition(b"SigPnd:")[2].partition(b"SigBlk:")[0]

    def await_sleep(self) -> Scheduling:
        """Waits until the template waits for its next signal. Returns its scheduling then."""
        rounds, until_ns = 0, self.cpu_ns() + SLEEP_CPU_NS
        while rounds < MAX_ROUNDS and self.cpu_ns() < until_ns:
            state, scheduling = self.scheduling()
            # The kernel writes this file only for a process that is off its CPU; state S is shown a moment earlier.
            if state == b"S" and os.pread(self.syscall_fd, 64, 0).split(None, 1)[0] in WAITS_FOR_SIGNAL:
                return scheduling
            rounds += state != b"R"  # On a busy machine the template may wait long for a CPU.
            time.sleep(0.0003)
        raise Violation("the template doesn't come to rest")

    def check_closed(self, template_id: int) -> None:
        """Raises unless the template holds no descriptor and its own user can't read its /proc."""
        found = os.stat("/proc/2/fd")  # Its size is the number of descriptors.
        if found.st_uid == template_id:
            raise Violation("the template can be looked into")
        if found.st_size or (not COUNTS_DESCRIPTORS and os.listdir(self.descriptors)):
            raise Violation("the template holds descriptors")

    def check_maps(self) -> None:
        maps = read_maps(TEMPLATE)
        if maps == self.maps:
            return
        if not shared_in(maps) <= self.shared:
            raise Violation("the template shares memory")
        self.maps = maps

    def sockets(self) -> tuple[tuple[bytes, bytes], int]:
        """Returns ((TCP in use, TCP time-wait), sockets of every kind) of the sandbox's network."""
        # The first line is `sockets: used 3`.
        text = os.pread(self.sockets_fd, 512, 0)
        fields = text.partition(b"\nTCP:")[2].split(None, 6)
        return (fields[1], fields[5]), int(text.split(None, 3)[2])

    def check_network(self) -> None:
        """Raises when a run left connections, which a later run would see. With egress the worker closes them."""
        if self.has_egress:
            return
        for _ in range(NETWORK_ROUNDS):
            tcp, count = self.sockets()
            if tcp == self.tcp and count <= self.max_sockets:
                return
            # The kernel collects sockets that only hold each other when another socket is closed.
            for other in _socket.socketpair():
                other.close()
            time.sleep(0.002)
        raise Violation("connections are left")


def read_maps(pid: int) -> bytes:
    fd = os.open(f"/proc/{pid}/maps", os.O_RDONLY)
    data = b""
    while part := os.read(fd, CHUNK):
        data += part
    os.close(fd)
    return data


def shared_in(maps: bytes) -> set[bytes]:
    return {line for line in maps.splitlines() if line.split(maxsplit=2)[1].endswith(b"s")}


def start_template(options: dict[str, Any], control: Control) -> Any:
    """Forks the template. Returns the socket that the template reads its code from."""
    ours, theirs = _socket.socketpair()
    pid = os.fork()
    if pid == 0:
        try:
            control.socket.close()
            ours.close()
            if options["two_ids"]:
                os.setgroups([])
                os.setresgid(TEMPLATE_ID, TEMPLATE_ID, TEMPLATE_ID)
                os.setresuid(TEMPLATE_ID, TEMPLATE_ID, TEMPLATE_ID)
            template.serve(theirs, options)
        finally:
            os._exit(1)
    theirs.close()
    if pid != TEMPLATE:
        raise Violation("the template isn't pid 2")
    return ours


def load(pipe: Any, body: bytes) -> bytes:
    """Sends the code to the template. Returns its one answer, of at most MAX_ANSWER bytes."""
    pipe.sendall(len(body).to_bytes(8, "big") + body)
    answer = b""
    while len(answer) <= MAX_ANSWER:
        part = pipe.recv(MAX_ANSWER + 1 - len(answer))
        if not part:
            break
        answer += part
    pipe.close()
    if not answer or len(answer) > MAX_ANSWER:
        raise Violation("no answer to the loading, or too much of one")
    return answer


class Run:
    """A fork of the template with pipes of its own, which waits for its request."""

    def __init__(self, watch: Watch, template_id: int, number: int) -> None:
        self.number = number
        listener = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
        listener.bind(PIPE_SOCKET)
        listener.listen(1)
        os.kill(TEMPLATE, SIGUSR1)
        self.give_pipes(listener, template_id)  # Makes the pipes first, while the template forks.
        if watch.children() != b"2 %d " % self.pid:
            raise Violation("another process came")
        self.scheduling = watch.await_sleep()
        watch.check_closed(template_id)
        watch.check_maps()
        self.schedstat = watch.schedstat()
        self.pidfd = os.pidfd_open(self.pid)

    def give_pipes(self, listener: Any, template_id: int) -> None:
        (request, self.request), (self.events, events), (self.out, out), (self.err, err) = (os.pipe() for _ in range(4))
        connection, _ = listener._accept()
        listener.close()
        connection = _socket.socket(fileno=connection)
        self.pid, uid, _ = _struct.unpack("3i", connection.getsockopt(_socket.SOL_SOCKET, _socket.SO_PEERCRED, 12))
        if uid != template_id:
            raise Violation("another process came")
        given = (out, err, events, request)
        connection.sendmsg([b"r"], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, _struct.pack("4i", *given))])
        connection.close()
        for fd in given:
            os.close(fd)
        for fd in (self.out, self.err):
            os.set_blocking(fd, False)  # The run can open these pipes, too, and read what the poll has seen.
        self.open_streams = {self.out: STDOUT, self.err: STDERR}

    def execute(self, watch: Watch, control: Control) -> tuple[Report, bytes]:
        """Executes the run until nothing of it is left. Returns its report, and the output that wasn't sent yet."""
        control.send(frame(b"P", _struct.pack("!II", self.request, self.events)))
        unsent = self.relay(control)
        _, status, usage = os.wait4(self.pid, 0)
        cpu, rss = usage.ru_utime + usage.ru_stime, usage.ru_maxrss
        left_some = not watch.is_alone()
        if left_some:
            more = kill_others(watch)
            cpu, rss = cpu + more[0], max(rss, more[1])
        if (
            watch.schedstat() != self.schedstat
            or watch.scheduling() != (b"S", self.scheduling)
            or watch.pending() != watch.pending_before
        ):
            raise Violation("the template was touched")
        watch.check_network()
        unsent += self.drain(control)
        for fd in (self.request, self.events, self.out, self.err, self.pidfd):
            os.close(fd)
        cpu_us = round(cpu * 1e6) + watch.take_cpu_ns() // 1000
        return (os.waitstatus_to_exitcode(status), cpu_us, rss * 1024, left_some), unsent

    def relay(self, control: Control) -> bytes:
        """Sends what the run prints until its process ends. Returns what wasn't sent yet.

        Small pieces are sent at most a thousand times a second, since each frame costs the worker time.
        """
        poll, end = select.poll(), select.poll()
        end.register(self.pidfd, select.POLLIN)
        asks = control.socket.fileno()
        for fd in (self.pidfd, asks, *self.open_streams):
            poll.register(fd, select.POLLIN)
        while True:
            data, ended = b"", False
            for fd, _ in poll.poll():
                if fd == self.pidfd:
                    ended = True
                elif fd == asks:
                    asked = int.from_bytes(control.receive(b"K"), "big")
                    if asked == self.number:  # It may come after the end of the run that is meant.
                        signal.pidfd_send_signal(self.pidfd, signal.SIGTERM)
                elif part := read_some(fd):
                    data += frame(b"D", part, self.open_streams[fd])
                elif part is not None:
                    poll.unregister(fd)
                    del self.open_streams[fd]
            if ended:
                return data
            if data:
                control.send(data)
                if len(data) < SMALL:
                    end.poll(1)

    def drain(self, control: Control) -> bytes:
        """Sends what is left in the pipes, except for the last part, which it returns. All writers have ended."""
        data = b""
        for fd, stream in self.open_streams.items():
            while part := read_some(fd):
                data += frame(b"D", part, stream)
                if len(data) > CHUNK:
                    control.send(data)
                    data = b""
        return data


def read_some(fd: int) -> bytes | None:
    """Returns b"" at the end, and None where nothing is there now."""
    try:
        return os.read(fd, CHUNK)
    except BlockingIOError:
        return None


def check_is_pid_1() -> None:
    """Raises outside of a pid namespace of its own, where this program would end the machine's processes."""
    if os.getpid() != 1:
        raise RuntimeError("This program ends every process that it can see, so it runs as pid 1 of a sandbox only.")


def kill_others(watch: Watch) -> tuple[float, int]:
    """Ends all processes but this one and the template. Returns their CPU seconds and largest resident set in KiB.

    Raises for processes that fork faster than they are killed, and for those that don't die: on a busy machine a killed
    process waits for a CPU before it ends.
    """
    check_is_pid_1()
    cpu, rss, rounds = 0.0, 0, 0
    seen: set[int] = set()
    until = time.monotonic() + MAX_DYING_S
    while rounds < MAX_ROUNDS and time.monotonic() < until:
        pids = {int(name) for name in os.listdir("/proc") if name.isdigit() and int(name) > TEMPLATE}
        for pid in pids:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        while True:
            pid, _, usage = os.wait4(-1, os.WNOHANG)
            if pid == 0:
                break
            if pid == TEMPLATE:
                raise Violation("the template has ended")
            cpu, rss = cpu + usage.ru_utime + usage.ru_stime, max(rss, usage.ru_maxrss)
        if watch.is_alone():
            return cpu, rss
        if pids <= seen:
            time.sleep(0.0003)
        else:
            rounds += 1
            seen |= pids
            os.sched_yield()
    raise Violation("there are processes that can't be ended")


def write_project_map() -> None:
    """Writes projid_map. Any process can write it, but once only: a run could leave text for later runs in it."""
    try:
        with open("/proc/self/projid_map", "w") as file:
            file.write("0 0 1")
    except OSError:
        pass  # Inside of another user namespace without such a map no process can write it.


def serve(control: Control) -> NoReturn:
    options = encode_json.parse(control.receive(b"T").decode())
    write_project_map()
    run_directories = RunDirectories(own=options["two_ids"])
    own_id = os.getuid()
    template_id = TEMPLATE_ID if options["two_ids"] else own_id
    pipe = start_template(options, control)
    watch = Watch(options["has_egress"])
    control.send(frame(b"S"))
    body = control.receive(b"L")  # By now the worker can open this process's descriptors.
    # The author's code, which is loaded next, can't read this process's /proc. Set earlier, the template had it.
    set_dumpable(0)
    watch.take_cpu_ns()  # So the CPU time of the import counts for the first run.
    length = int.from_bytes(body[:4], "big")
    names = [name for name in body[4 : 4 + length].decode().split("\0") if name]
    directories = directories_of(names)
    control.send(frame(b"L", load(pipe, body[4 + length :])))  # If it holds a fault, the worker ends this sandbox.
    if not watch.is_alone():
        raise Violation("the template has started processes")
    watch.await_sleep()
    watch.check_closed(template_id)
    watch.check_maps()
    watch.check_network()
    _, watch.max_sockets = watch.sockets()  # Without the socket that the code came by, which is closed.
    watch.pending_before = watch.pending()
    run_directories.empty_all()
    if watch.scheduling()[1][2] != b"1":
        raise Violation("the template has threads")
    gc.collect()
    gc.freeze()
    gc.disable()
    number = 0
    while True:
        number += 1
        (exit_code, cpu_us, rss, left_some), unsent = Run(watch, template_id, number).execute(watch, control)
        is_clean = run_directories.remove_files(names, directories)
        control.send(unsent + frame(b"E", report.pack(exit_code, cpu_us, rss, is_clean, left_some)))
        if not is_clean:
            run_directories.empty_all()
            control.send(frame(b"C"))


def main(fd: int) -> NoReturn:
    try:
        check_is_pid_1()
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # The kernel drops signals to pid 1 that have no handler.
        os.environ.pop("LD_BIND_NOW", None)  # Meant for this process alone: to find every symbol at its start.
        serve(Control(fd))
    except BaseException as error:
        os.write(2, f"{type(error).__name__}: {error}\n".encode()[:300])
    finally:
        os._exit(1)
