from __future__ import annotations

import _socket
import os
import select
import signal
import sys
from typing import Any

from support import RuntimeTest, on_linux

if sys.platform == "linux":
    from _runfleet import pid_1
    from _runfleet.pid_1 import Control, Run, Violation, frame, shared_in


class Ended(Exception):
    """Raised in place of the end of the process."""


@on_linux
class OutsideOfASandbox(RuntimeTest):
    """These tests replace what signals and what ends the process: here neither may happen."""

    def setUp(self) -> None:
        super().setUp()
        self.signals: list[tuple[int, int]] = []
        self.complaints: list[bytes] = []

        def note_signal(pid: int, number: int) -> None:
            self.signals.append((pid, number))

        def end(code: int) -> None:
            raise Ended(code)

        self.replace(os, "kill", note_signal)
        self.replace(os, "killpg", note_signal)
        self.replace(os, "_exit", end)

    def test_start(self) -> None:
        """A process that isn't pid 1 says so, and ends with 1 before it signals, forks or reads anything."""

        def never(*_: object) -> Any:
            raise AssertionError("pid 1 goes on")

        for name in ("serve", "Control", "Run", "start_template", "kill_others"):
            self.replace(pid_1, name, never)
        reader, writer = os.pipe()
        write = os.write
        self.replace(os, "write", lambda _, data: write(writer, data))  # pyright: ignore
        handler = signal.getsignal(signal.SIGINT)
        with self.assertRaises(Ended) as ended:
            pid_1.main(5)
        os.close(writer)
        with os.fdopen(reader, "rb") as file:
            complaint = file.read().decode()
        self.assertEqual(ended.exception.args, (1,))
        self.assertRegex(complaint, "RuntimeError: This program ends every process .* pid 1 of a sandbox only")
        self.assertEqual((self.signals, signal.getsignal(signal.SIGINT)), ([], handler))

    def test_kill_others(self) -> None:
        """Outside of a pid namespace of its own pid 1 refuses to end all processes, and signals none."""
        watch: Any = None
        with self.assertRaisesRegex(RuntimeError, "pid 1 of a sandbox only"):
            pid_1.kill_others(watch)
        self.assertEqual(self.signals, [])

    def test_inside(self) -> None:
        """As pid 1 it signals every process but itself and the template, each by its own pid."""
        self.replace(os, "getpid", lambda: 1)
        self.replace(os, "listdir", lambda _: ["1", "2", "3", "40", "self"])  # pyright: ignore
        self.replace(os, "wait4", lambda *_: (0, 0, None))  # pyright: ignore

        class Alone:
            def is_alone(self) -> bool:
                return True

        watch: Any = Alone()
        pid_1.kill_others(watch)
        self.assertEqual(sorted(self.signals), [(3, signal.SIGKILL), (40, signal.SIGKILL)])


@on_linux
class Frames(RuntimeTest):
    def pair(self) -> tuple[Any, Any]:
        ours, theirs = _socket.socketpair()
        self.addCleanup(ours.close)
        control = Control(theirs.detach())
        self.addCleanup(control.socket.close)
        return ours, control

    def test_layout(self) -> None:
        """A frame is a type, a stream, two zeros, a length in network order, and a body."""
        self.assertEqual(frame(b"D", b"abc", 2), b"D\x02\x00\x00\x00\x00\x00\x03abc")
        self.assertEqual(frame(b"S"), b"S" + bytes(7))

    def test_received(self) -> None:
        """A command is read whole, also when it comes in pieces and the next follows at once."""
        worker, control = self.pair()
        worker.sendall(frame(b"T", b"a" * 1000) + frame(b"L", b""))
        self.assertEqual((control.receive(b"T"), control.receive(b"L")), (b"a" * 1000, b""))

    def test_unknown(self) -> None:
        """A command that isn't expected ends the sandbox."""
        worker, control = self.pair()
        worker.sendall(frame(b"L"))
        with self.assertRaises(Violation):
            control.receive(b"T")

    def test_maps(self) -> None:
        """Of a process's memory, mappings that are shared are found."""
        maps = b"55-56 r-xp 0 0:0 0 /bin/x\n7f-80 rw-s 0 0:1 9 /dev/zero (deleted)\n80-81 r--s 0 0:1 9 /x y\n"
        self.assertEqual(len(shared_in(maps)), 2)
        self.assertEqual(shared_in(b""), set())


@on_linux
class Relay(RuntimeTest):
    def run_with_pipes(self) -> tuple[Any, list[int]]:
        """Returns a run, and the descriptors that its process would have: stdout, stderr, events, request."""
        name = f"\0runfleet-test-{os.getpid()}"
        listener = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
        listener.bind(name)
        listener.listen(1)
        process = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
        process.connect(name)
        run: Any = object.__new__(Run)
        run.give_pipes(listener, os.getuid())
        _, [(_, _, passed)], _, _ = process.recvmsg(1, 64)
        process.close()
        given = [int.from_bytes(passed[at : at + 4], sys.byteorder) for at in range(0, 16, 4)]
        for fd in (*given, run.request, run.events, run.out, run.err):
            self.addCleanup(os.close, fd)
        return run, given

    def test_taken_back(self) -> None:
        """A run that reads its own output first, once the poll has seen it, doesn't make pid 1 wait."""
        run, _ = self.run_with_pipes()
        run.pidfd, over = os.pipe()
        self.addCleanup(os.close, run.pidfd)
        self.addCleanup(os.close, over)
        ours, theirs = _socket.socketpair()
        self.addCleanup(ours.close)
        control = Control(theirs.detach())
        self.addCleanup(control.socket.close)
        seen = [[(run.out, select.POLLIN), (run.err, select.POLLIN)], [(run.pidfd, select.POLLIN)]]

        class Poll:
            def register(self, *_: int) -> None: ...
            def poll(self, *_: int) -> list[tuple[int, int]]:
                return seen.pop(0)

        self.replace(select, "poll", Poll)
        self.assertEqual(run.relay(control), b"")
        self.assertEqual(run.open_streams, {run.out: 1, run.err: 2})

    def test_asked(self) -> None:
        """A run is asked to end by its own number. A command that was meant for an earlier one comes to nothing."""
        run, _ = self.run_with_pipes()
        asked: list[int] = []
        run.number, run.pidfd = 2, -1
        ours, theirs = _socket.socketpair()
        self.addCleanup(ours.close)
        control = Control(theirs.detach())
        self.addCleanup(control.socket.close)
        ours.sendall(b"".join(frame(b"K", number.to_bytes(4, "big")) for number in (1, 2)))
        asks = control.socket.fileno()
        seen = [[(asks, select.POLLIN)], [(asks, select.POLLIN)], [(run.pidfd, select.POLLIN)]]

        class Poll:
            def register(self, *_: int) -> None: ...
            def poll(self, *_: int) -> list[tuple[int, int]]:
                asked.append(0)
                return seen.pop(0)

        self.replace(select, "poll", Poll)
        self.replace(signal, "pidfd_send_signal", lambda _, number: asked.append(number))  # pyright: ignore
        self.assertEqual(run.relay(control), b"")
        self.assertEqual(asked, [0, 0, signal.SIGTERM, 0])

    def test_printed(self) -> None:
        """What a run prints is relayed, until nobody can print any more."""
        run, (out, err, _, _) = self.run_with_pipes()
        os.write(out, b"said")
        self.assertEqual((pid_1.read_some(run.out), pid_1.read_some(run.out)), (b"said", None))
        os.dup2(run.request, err)  # Nobody has the other end any more.
        self.assertEqual(pid_1.read_some(run.err), b"")
