"""The channel from an agent's process to the worker: NDJSON frames on fd 3, with what the agent prints in order."""

from __future__ import annotations

import _thread
import builtins
import io
import os
import sys
import time

from _runfleet.encode_json import encode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    WriteText = Callable[[str], None]

EVENTS_FD = 3
LINE_BYTES = 12 * 1024 * 1024  # The longest line that the worker reads as one frame.
FLUSH_AFTER_S = 0.02  # A part of a line is sent when the last flush is longer ago than this.

monotonic = time.monotonic
print_plain = builtins.print
lock = _thread.allocate_lock()


class Channel:
    """Writes frames. A daemon replaces `write` to name the message that a frame belongs to."""

    fd = EVENTS_FD

    def write(self, type_: str, fields: dict[str, Any]) -> bool:
        """Writes a frame. Returns False when it is longer than the worker would read."""
        line = encode({"type": type_, **fields}) + b"\n"
        if len(line) > LINE_BYTES:
            return False
        with lock:
            view = memoryview(line)
            while view:
                view = view[os.write(self.fd, view) :]
        return True


channel = Channel()


def write_frame(type_: str, **fields: Any) -> bool:
    """Writes a frame. Returns False when it is longer than the worker would read."""
    return channel.write(type_, fields)


def flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (ValueError, AttributeError):
            pass  # The agent closed or replaced the stream.


class EventTooLarge(ValueError):
    pass


class ArtifactTooLarge(ValueError):
    pass


def send(type_: str, **fields: Any) -> None:
    """Sends a frame, after what was printed before it. Raises when the frame is longer than the worker would read."""
    flush()
    if not write_frame(type_, **fields):
        kind = ArtifactTooLarge if type_ == "artifact" else EventTooLarge
        raise kind(f"One '{type_}' of the run is longer than {LINE_BYTES} bytes.")


class FrameStream(io.RawIOBase):
    """Turns what Python code writes to stdout or stderr into frames.

    What C code and subprocesses write goes to the real descriptors, which the worker reads.
    """

    def __init__(self, fd: int, write_text: WriteText) -> None:
        self.fd, self.write_text = fd, write_text
        import codecs

        self.decode = codecs.getincrementaldecoder("utf-8")("replace").decode

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        return self.fd

    def write(self, data: Any) -> int:
        if text := self.decode(bytes(data)):
            self.write_text(text)
        return len(data)


class PromptText(io.TextIOWrapper):
    """Sends each line at once, and a part of a line FLUSH_AFTER_S after the last flush.

    So a model's words arrive one by one, and `json.dump`, which writes each comma by itself, isn't sent in such pieces.
    """

    sent = 0.0

    def write(self, text: str) -> int:
        written = super().write(text)
        now = monotonic()
        if now - self.sent > FLUSH_AFTER_S:
            self.sent = now
            self.flush()
        return written


def text_stream(fd: int, write_text: WriteText) -> PromptText:
    raw = io.BufferedWriter(FrameStream(fd, write_text))
    return PromptText(raw, encoding="utf-8", errors="backslashreplace", line_buffering=True)


def print_in_one_write(*values: Any, sep: Any = " ", end: Any = "\n", file: Any = None, flush: bool = False) -> None:
    """Does what Python's `print` does, but writes the text in one piece."""
    stream = sys.stdout if file is None else file
    if type(stream) is not PromptText or type(sep) is not str or type(end) is not str:
        print_plain(*values, sep=sep, end=end, file=file, flush=flush)
        return
    stream.write(sep.join([str(value) for value in values]) + end)
    if flush:
        stream.flush()


def print_output(text: str) -> None:
    for start in range(0, len(text), 1 << 20):
        write_frame("output", content=text[start : start + (1 << 20)])


def print_log(text: str) -> None:
    write_frame("log", level="info", stream="stderr", message=text.removesuffix("\n"))
