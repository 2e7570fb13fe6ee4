from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING, Any

from _runfleet import channel, journal, stopping
from _runfleet.channel import PromptText, print_in_one_write, print_log, print_output, send, text_stream, write_frame
from support import RUNTIME, RuntimeTest

if TYPE_CHECKING:
    from collections.abc import Callable

# A process that is asked to end before its code begins. It says so itself, when its handler is set.
ASKED_EARLY = """
import os, signal, sys
sys.path.insert(0, {runtime!r})
from _runfleet import runner
from _runfleet.channel import channel
from _runfleet.context import request_fields
channel.fd = 1
runner.become_runner(None, None)
os.kill(os.getpid(), signal.SIGTERM)
request = dict.fromkeys(request_fields, None)
request.update(entrypoint="main.py", code={{"main.py": "print('ran')"}}, files={{}}, env={{}}, input_payload={{}})
runner.run_to_exit(request)
"""


class Frames(RuntimeTest):
    def test_line(self) -> None:
        """A frame is one line of JSON with its type and fields."""
        found = self.frames_of(lambda: write_frame("output", content="two\nlines", more={"a": [1, None]}))
        self.assertEqual(found, [{"type": "output", "content": "two\nlines", "more": {"a": [1, None]}}])

    def test_short_writes(self) -> None:
        """A frame arrives whole when the kernel takes a few bytes at a time."""
        write = os.write

        def write_few(fd: int, data: bytes) -> int:
            return write(fd, bytes(data)[:3])

        self.replace(os, "write", write_few)
        found = self.frames_of(lambda: [write_frame("output", content="a" * 20), write_frame("output", content="b")])
        self.assertEqual([frame["content"] for frame in found], ["a" * 20, "b"])

    def test_too_long(self) -> None:
        """A frame that is longer than the worker reads isn't written, and `send` names its kind."""
        self.replace(channel, "LINE_BYTES", 100)
        written: list[bool] = []

        def act() -> None:
            written.append(write_frame("output", content="a" * 100))
            written.append(write_frame("output", content="a" * 10))
            with self.assertRaises(channel.EventTooLarge):
                send("custom", name="a", value="a" * 100)
            with self.assertRaises(channel.ArtifactTooLarge):
                send("artifact", name="a", mime=None, content="a" * 100)

        found = self.frames_of(act)
        self.assertEqual(written, [False, True])
        self.assertEqual(len(found), 1)

    def test_longest(self) -> None:
        """A line of exactly the limit is written; its newline counts."""
        self.replace(channel, "LINE_BYTES", len('{"type":"output","content":"aaa"}\n'))
        found = self.frames_of(lambda: [write_frame("output", content="aaa"), write_frame("output", content="aaaa")])
        self.assertEqual([frame["content"] for frame in found], ["aaa"])

    def test_send_after_prints(self) -> None:
        """What was printed before a frame is sent before it."""
        stream = text_stream(1, print_output)
        self.replace(sys, "stdout", stream)

        def act() -> None:
            stream.sent = channel.monotonic() + 60  # No part of a line is due.
            stream.write("before")
            send("custom", name="after", value=None)

        self.assertEqual([frame["type"] for frame in self.frames_of(act)], ["output", "custom"])

    def test_asked_to_end(self) -> None:
        """A request to end that comes while a frame is written is raised once it, or the whole text, is written."""
        self.addCleanup(signal.signal, signal.SIGTERM, signal.getsignal(signal.SIGTERM))
        self.addCleanup(stopping.end)
        write = os.write

        def write_and_ask(fd: int, data: bytes) -> int:
            written = write(fd, data)
            if not stopping.stopping.asked:
                os.kill(os.getpid(), signal.SIGTERM)
            return written

        stream = text_stream(1, print_output)
        long = "a" * (3 << 20) + "\n"
        acts: list[tuple[str, Callable[[], object], int]] = [
            ("a frame", lambda: write_frame("step.start", name="a"), 1),
            ("an event", lambda: send("custom", name="a", value=1), 1),
            ("an idle frame", lambda: journal.write_unowned("idle", {"seen": 1}), 1),
            ("a warning", lambda: journal.say_log("a"), 1),
            ("a long text", lambda: stream.write(long), 4),
        ]
        for name, act, frames in acts:
            with self.subTest(name):
                stopping.listen()
                stopping.begin()

                def ask(act: Callable[[], object] = act) -> None:
                    self.replace(os, "write", write_and_ask)
                    with self.assertRaises(stopping.Stopped):
                        act()
                    self.replace(os, "write", write)

                self.assertEqual(len(self.frames_of(ask)), frames)

    def test_asked_in_own_file(self) -> None:
        """A request to end that comes while the code prints to a file of its own is raised at once."""
        self.addCleanup(signal.signal, signal.SIGTERM, signal.getsignal(signal.SIGTERM))
        self.addCleanup(stopping.end)

        class File(io.StringIO):
            def write(self, text: str) -> int:
                os.kill(os.getpid(), signal.SIGTERM)
                return super().write(text)

        stopping.listen()
        stopping.begin()
        with self.assertRaises(stopping.Stopped):
            print_in_one_write("a", file=File())

    def test_asked_early(self) -> None:
        """A process that is asked to end while it reads its request executes none of the agent's code."""
        program = ASKED_EARLY.format(runtime=RUNTIME)
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=20, check=False)
        frames = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual([(frame["type"], frame.get("error_type")) for frame in frames], [("error", "Stopped")])


class Prints(RuntimeTest):
    def setUp(self) -> None:
        super().setUp()
        self.texts: list[str] = []
        self.stream = text_stream(1, self.texts.append)

    def test_lines(self) -> None:
        """A line is sent at once; of a part of a line the first is sent at once, and the next once it is due."""
        now = 1000.0
        self.replace(channel, "monotonic", lambda: now)
        self.stream.write("a")
        self.stream.write("b")
        self.assertEqual(self.texts, ["a"])
        now += channel.FLUSH_AFTER_S * 2
        self.stream.write("c")
        self.stream.write("d\n")
        self.assertEqual(self.texts, ["a", "bc", "d\n"])

    def test_split_character(self) -> None:
        """A character whose bytes are written one by one is sent once it is complete; a broken one is replaced."""
        raw = channel.FrameStream(1, self.texts.append)
        for byte in "é".encode():
            raw.write(bytes([byte]))
        raw.write(b"\xff")
        self.assertEqual(self.texts, ["é", "\ufffd"])

    def test_one_write(self) -> None:
        """A print with several values is one write, so that its text isn't sent in pieces."""
        writes: list[str] = []
        write = PromptText.write

        def note(stream: PromptText, text: str) -> int:
            writes.append(text)
            return write(stream, text)

        self.replace(PromptText, "write", note)
        print_in_one_write("a", 1, sep="-", file=self.stream)
        self.assertEqual((writes, self.texts), (["a-1\n"], ["a-1\n"]))
        other = io.StringIO()
        print_in_one_write("a", 1, file=other, flush=True)
        self.assertEqual(other.getvalue(), "a 1\n")

    def test_like_print(self) -> None:
        """Odd arguments of print fail as they do in Python."""
        odd: Any = 1
        with self.assertRaises(TypeError):
            print_in_one_write("a", sep=odd, file=self.stream)

    def test_parts(self) -> None:
        """Long output is sent as frames of 1 Mi characters; a log loses the newline at its end, and only one."""
        text = "a" * (1 << 20) + "b"
        found = self.frames_of(lambda: [print_output(text), print_log("one\n"), print_log("two\n\n")])
        self.assertEqual([len(frame["content"]) for frame in found[:2]], [1 << 20, 1])
        self.assertEqual([frame["message"] for frame in found[2:]], ["one", "two\n"])
