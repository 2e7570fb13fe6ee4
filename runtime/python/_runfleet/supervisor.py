"""Pid 1 of a warm sandbox. It never runs a line of the author's code.

It alone holds the control channel to the worker. Pid 2, the template, loads the author's code and forks at a signal; each
fork is a child of this process and gets pipes that nobody had before. The worker holds the other ends of two of them, for
the request and the events, which it opens by this process's /proc; stdout and stderr, which are mostly empty, are relayed
here. All that is reported is known from the kernel. A surprise ends this process, and so the sandbox. Deadlines are the
worker's: it kills the sandbox.

As root the worker gives a sandbox two user ids: 0 inside is this process's, 1000 the author's. An ordinary user has one id
only. Then a capability that the author's code doesn't have, no dump, and the second seccomp filter protect this process.

Frames, both ways: type (1 byte), stream (1), zero (2), length (4, big-endian), body.
From the worker: T start, L load. To the worker: S started, L loaded, P a process waits (its two descriptors), D data,
E end, C clean.
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
from _runfleet.places import Places

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn

    Standing = tuple[bytes, ...]
    Report = tuple[int, int, int, bool]

TEMPLATE = 2
TEMPLATE_ID = 1000  # The user and group id of the author's code where there are two; this process has 0.
SIGUSR1 = int(signal.SIGUSR1)
WAITS_FOR_SIGNAL = (b"128", b"137")  # rt_sigtimedwait of x86_64 and aarch64.
DOOR = "\0runfleet"  # An abstract socket lives in the sandbox's own network namespace.
STDOUT, STDERR = 1, 2
CHUNK = 65_536
SMALL = 4_096
MOST_LOADED = 65_536
MOST_ROUNDS = 2_000
DYING_SECONDS = 5
REST_CPU_NS = 500_000_000
NETWORK_ROUNDS = 20
COUNTS_DESCRIPTORS = os.stat("/proc/self/fd").st_size > 0  # Since Linux 6.2.

header = _struct.Struct("!BBHI")
report = _struct.Struct("!iQQBB")


class Surprise(Exception):
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
            raise Surprise("an unknown command")
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
    """
    What the kernel says of the template. Each is a file that stays open and is read again: later, when the template can't be
    looked into any more, only a process with CAP_SYS_PTRACE may read some of them, and with one user id nobody may open them.
    """

    def __init__(self, has_egress: bool) -> None:
        def open_(name: str) -> int:
            return os.open(f"/proc/{name}", os.O_RDONLY | os.O_CLOEXEC)

        self.own_children, self.its_children = open_("1/task/1/children"), open_("2/task/2/children")
        self.syscall_fd = open_("2/syscall")
        self.stat_fd, self.schedstat_fd, self.status_fd = open_("2/stat"), open_("2/schedstat"), open_("2/status")
        self.taken_ns = 0
        self.quiet = b""  # The signals that were pending when the code was loaded.
        self.has_egress = has_egress
        self.sockets_fd = open_("1/net/sockstat")
        self.tcp, self.most_sockets = self.sockets()
        self.descriptors = open_("2/fd")
        self.shared = shared_in(read_maps(1))  # What every process of libc's shares.
        self.maps = b""

    def children(self) -> bytes:
        return os.pread(self.own_children, 4096, 0)

    def is_alone(self) -> bool:
        """Whether there is nothing but this process and the template. Who loses its parent becomes this process's child."""
        return os.pread(self.own_children, 64, 0) == b"2 " and os.pread(self.its_children, 64, 0) == b""

    def ran(self) -> bytes:
        """The template's time on a CPU, in ns, and how often it got there: the same as before means that it did nothing."""
        return os.pread(self.schedstat_fd, 128, 0)

    def cpu_ns(self) -> int:
        return int(self.ran().split(None, 1)[0])

    def take_cpu_ns(self) -> int:
        """The template's time on a CPU since this was asked last."""
        before, self.taken_ns = self.taken_ns, self.cpu_ns()
        return self.taken_ns - before

    def standing(self) -> tuple[bytes, Standing]:
        """(state, (group, session, threads, priority, nice, scheduling class, real-time priority)) of proc(5)."""
        fields = os.pread(self.stat_fd, 2048, 0).rpartition(b")")[2].split()
        return fields[0], (*fields[2:4], fields[17], fields[15], fields[16], fields[38], fields[37])

    def pending(self) -> bytes:
        """The signals that it has been sent and never takes. Every run may read them, and processes of its group may send them."""
        return os.pread(self.status_fd, 4096, 0).partition(b"SigPnd:")[2].partition(b"SigBlk:")[0]

    def await_sleep(self) -> Standing:
        """Waits until the template waits for its next signal. Returns its standing then."""
        rounds, until_ns = 0, self.cpu_ns() + REST_CPU_NS
        while rounds < MOST_ROUNDS and self.cpu_ns() < until_ns:
            state, standing = self.standing()
            # This file answers only for a process that is off its CPU; state S alone comes a moment earlier.
            if state == b"S" and os.pread(self.syscall_fd, 64, 0).split(None, 1)[0] in WAITS_FOR_SIGNAL:
                return standing
            rounds += state != b"R"  # On a crowded machine it may wait long for a CPU.
            time.sleep(0.0003)
        raise Surprise("the template doesn't come to rest")

    def check_closed(self, template_id: int) -> None:
        """It holds no descriptor, and its /proc is closed to its own user."""
        found = os.stat("/proc/2/fd")  # Its size is the number of descriptors.
        if found.st_uid == template_id:
            raise Surprise("the template can be looked into")
        if found.st_size or (not COUNTS_DESCRIPTORS and os.listdir(self.descriptors)):
            raise Surprise("the template holds descriptors")

    def check_maps(self) -> None:
        maps = read_maps(TEMPLATE)
        if maps == self.maps:
            return
        if not shared_in(maps) <= self.shared:
            raise Surprise("the template shares memory")
        self.maps = maps

    def sockets(self) -> tuple[tuple[bytes, bytes], int]:
        """Of the sandbox's own network: ((TCP in use, TCP time-wait), sockets of every kind). The first line is `sockets: used 3`."""
        said = os.pread(self.sockets_fd, 512, 0)
        fields = said.partition(b"\nTCP:")[2].split(None, 6)
        return (fields[1], fields[5]), int(said.split(None, 3)[2])

    def check_network(self) -> None:
        """Without egress nothing but a run makes connections: what lingers would be seen by the next one. With egress the worker closes them."""
        if self.has_egress:
            return
        for _ in range(NETWORK_ROUNDS):
            tcp, count = self.sockets()
            if tcp == self.tcp and count <= self.most_sockets:
                return
            # Sockets that are held by nothing but each other are collected when another one is closed.
            for one in _socket.socketpair():
                one.close()
            time.sleep(0.002)
        raise Surprise("connections are left")


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
    """Returns the socket that the template reads its code from. It has none after that."""
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
        raise Surprise("the template isn't pid 2")
    return ours


def load(pipe: Any, body: bytes) -> bytes:
    """Hands the code on, and returns the answer: at most so many bytes, once."""
    pipe.sendall(len(body).to_bytes(8, "big") + body)
    answer = b""
    while len(answer) <= MOST_LOADED:
        part = pipe.recv(MOST_LOADED + 1 - len(answer))
        if not part:
            break
        answer += part
    pipe.close()
    if not answer or len(answer) > MOST_LOADED:
        raise Surprise("no answer to the loading, or too much of one")
    return answer


class Run:
    """A process that waits for its request, with pipes of its own. `door`: where it comes for them; bound before it is forked."""

    def __init__(self, watch: Watch, template_id: int) -> None:
        door = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
        door.bind(DOOR)
        door.listen(1)
        os.kill(TEMPLATE, SIGUSR1)
        self.let_in(door, template_id)  # This process makes the pipes first, while the template forks.
        if watch.children() != b"2 %d " % self.pid:
            raise Surprise("somebody else came")
        self.standing = watch.await_sleep()
        watch.check_closed(template_id)
        watch.check_maps()
        self.ran = watch.ran()
        self.pidfd = os.pidfd_open(self.pid)

    def let_in(self, door: Any, template_id: int) -> None:
        (request, self.request), (self.events, events), (self.out, out), (self.err, err) = (os.pipe() for _ in range(4))
        connection, _ = door._accept()
        door.close()
        connection = _socket.socket(fileno=connection)
        self.pid, uid, _ = _struct.unpack("3i", connection.getsockopt(_socket.SOL_SOCKET, _socket.SO_PEERCRED, 12))
        if uid != template_id:
            raise Surprise("somebody else came")
        given = (out, err, events, request)
        connection.sendmsg([b"r"], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, _struct.pack("4i", *given))])
        connection.close()
        for fd in given:
            os.close(fd)
        self.open_streams = {self.out: STDOUT, self.err: STDERR}

    def play(self, watch: Watch, control: Control) -> tuple[Report, bytes]:
        """Until its end is known and nothing of it is left. Returns its report, and the output that isn't sent yet."""
        control.send(frame(b"P", _struct.pack("!II", self.request, self.events)))
        unsent = self.relay(control)
        _, status, usage = os.wait4(self.pid, 0)
        cpu, rss = usage.ru_utime + usage.ru_stime, usage.ru_maxrss
        left_some = not watch.is_alone()
        if left_some:
            more = kill_rest(watch)
            cpu, rss = cpu + more[0], max(rss, more[1])
        if watch.ran() != self.ran or watch.standing() != (b"S", self.standing) or watch.pending() != watch.quiet:
            raise Surprise("the template was touched")
        watch.check_network()
        unsent += self.drain(control)
        for fd in (self.request, self.events, self.out, self.err, self.pidfd):
            os.close(fd)
        cpu_us = round(cpu * 1e6) + watch.take_cpu_ns() // 1000
        return (os.waitstatus_to_exitcode(status), cpu_us, rss * 1024, left_some), unsent

    def relay(self, control: Control) -> bytes:
        """
        Sends what it prints, as fast as the worker reads, until its process has ended. Returns what isn't sent yet. What is
        printed in small pieces is sent a thousand times a second at most: each frame costs the worker time.
        """
        poll, end = select.poll(), select.poll()
        end.register(self.pidfd, select.POLLIN)
        for fd in (self.pidfd, *self.open_streams):
            poll.register(fd, select.POLLIN)
        while True:
            data, ended = b"", False
            for fd, _ in poll.poll():
                if fd == self.pidfd:
                    ended = True
                elif part := read_some(fd):
                    data += frame(b"D", part, self.open_streams[fd])
                else:
                    poll.unregister(fd)
                    del self.open_streams[fd]
            if ended:
                return data
            if data:
                control.send(data)
                if len(data) < SMALL:
                    end.poll(1)

    def drain(self, control: Control) -> bytes:
        """What is left in the pipes. All writers are dead, so it is bounded by what a pipe holds. Returns the last part of it."""
        data = b""
        for fd, stream in self.open_streams.items():
            os.set_blocking(fd, False)
            while part := read_some(fd):
                data += frame(b"D", part, stream)
                if len(data) > CHUNK:
                    control.send(data)
                    data = b""
        return data


def read_some(fd: int) -> bytes:
    try:
        return os.read(fd, CHUNK)
    except BlockingIOError:
        return b""


def kill_rest(watch: Watch) -> tuple[float, int]:
    """
    Ends all processes but the template. Returns their CPU seconds and largest resident set in KiB. Raises Surprise for what
    forks faster than this kills, and for what doesn't die: on a crowded machine a killed process waits for a CPU to die on.
    """
    cpu, rss, rounds = 0.0, 0, 0
    seen: set[int] = set()
    until = time.monotonic() + DYING_SECONDS
    while rounds < MOST_ROUNDS and time.monotonic() < until:
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
                raise Surprise("the template has ended")
            cpu, rss = cpu + usage.ru_utime + usage.ru_stime, max(rss, usage.ru_maxrss)
        if watch.is_alone():
            return cpu, rss
        if pids <= seen:
            time.sleep(0.0003)
        else:
            rounds += 1
            seen |= pids
            os.sched_yield()
    raise Surprise("there are processes that can't be ended")


def settle_namespace() -> None:
    """Writes the one map of the user namespace that any process in it may write, once: a run would leave words there for later ones."""
    try:
        with open("/proc/self/projid_map", "w") as file:
            file.write("0 0 1")
    except OSError:
        pass  # Within another user namespace that has no such map nobody can.


def serve(control: Control) -> NoReturn:
    options = encode_json.parse(control.receive(b"T").decode())
    settle_namespace()
    places = Places(own=options["two_ids"])
    own_id = os.getuid()
    template_id = TEMPLATE_ID if options["two_ids"] else own_id
    pipe = start_template(options, control)
    watch = Watch(options["has_egress"])
    control.send(frame(b"S"))
    body = control.receive(b"L")  # Meanwhile the worker has got hold of this process's descriptors.
    set_dumpable(
        0
    )  # The author's code, which comes now, can't look into this process. Before, a fork would have inherited it.
    watch.take_cpu_ns()  # What the import takes is the first run's.
    length = int.from_bytes(body[:4], "big")
    names = [name for name in body[4 : 4 + length].decode().split("\0") if name]
    directories = directories_of(names)
    control.send(
        frame(b"L", load(pipe, body[4 + length :]))
    )  # With a fault of the code in it the worker ends this sandbox.
    if not watch.is_alone():
        raise Surprise("the template has started processes")
    watch.await_sleep()
    watch.check_closed(template_id)
    watch.check_maps()
    watch.check_network()
    _, watch.most_sockets = watch.sockets()  # The code's own way in is closed.
    watch.quiet = watch.pending()
    places.wipe()
    if watch.standing()[1][2] != b"1":
        raise Surprise("the template has threads")
    gc.collect()
    gc.freeze()
    gc.disable()
    while True:
        (exit_code, cpu_us, rss, left_some), unsent = Run(watch, template_id).play(watch, control)
        is_clean = places.tidy(names, directories)
        control.send(unsent + frame(b"E", report.pack(exit_code, cpu_us, rss, is_clean, left_some)))
        if not is_clean:
            places.wipe()
            control.send(frame(b"C"))


def main(fd: int) -> NoReturn:
    if os.getpid() != 1:
        os._exit(1)  # It ends processes of its pid namespace: it must have one of its own.
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # Without a handler no process in here can signal pid 1.
    os.environ.pop("LD_BIND_NOW", None)  # Every symbol is found once, at the start; for this process alone.
    try:
        serve(Control(fd))
    except BaseException as error:
        os.write(2, f"{type(error).__name__}: {error}\n".encode()[:300])
    finally:
        os._exit(1)
