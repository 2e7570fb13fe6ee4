"""The channel from an agent's process to the worker: NDJSON frames on fd 3, with what the agent prints in order."""

from __future__ import annotations

import _thread
import builtins
import io
import os
import sys
import time

from _runfleet.encode_json import encode
from _runfleet.stopping import frame_writers, raise_if_asked

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    WriteText = Callable[[str], None]

STDERR_FD, EVENTS_FD = 2, 3
LINE_BYTES = 12 * 1024 * 1024  # The longest line that the worker reads as one frame.
FLUSH_AFTER_S = 0.02  # A part of a line is sent when the last flush is longer ago than this.

monotonic = time.monotonic
print_plain = builtins.print
lock = _thread.allocate_lock()


class Channel:
    """Writes frames. A daemon replaces `write` to name the message that a frame belongs to."""

    fd = EVENTS_FD
    sent = 0  # How many frames were written.
    log_level = "info"  # Of what is printed to stderr now.

    def write(self, type_: str, fields: dict[str, Any]) -> bool:
        """Writes a frame. Returns False when it is longer than the worker would read."""
        line = encode({"type": type_, **fields}) + b"\n"
        if len(line) > LINE_BYTES:
            return False
        with lock:
            view = memoryview(line)
            while view:
                view = view[os.write(self.fd, view) :]
            self.sent += 1
        return True


channel = Channel()


def write_frame(type_: str, **fields: Any) -> bool:
    """Writes a frame. Returns False when it is longer than the worker would read.

    Raises when the run was asked to end meanwhile.
    """
    is_written = channel.write(type_, fields)
    raise_if_asked()
    return is_written


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
        self.raised: BaseException | None = None
        import codecs

        self.decode = codecs.getincrementaldecoder("utf-8")("replace").decode

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        return self.fd

    def write(self, data: Any) -> int:
        sent = channel.sent
        try:
            if text := self.decode(bytes(data)):
                self.write_text(text)
        except BaseException as error:
            # A signal's handler raised. What was written must not be written again.
            if channel.sent == sent:
                raise
            self.raised = error
        return len(data)

    def raise_late(self) -> None:
        error, self.raised = self.raised, None
        if error is not None:
            raise error


# What else is executed below a print, such as the `write` of a file of the agent's, may be cut.
frame_writers.update((Channel.write.__code__, FrameStream.write.__code__))


class PromptText(io.TextIOWrapper):
    """Sends each line at once, and a part of a line FLUSH_AFTER_S after the last flush.

    So a model's words arrive one by one, and `json.dump`, which writes each comma by itself, isn't sent in such pieces.
    """

    sent = 0.0

    def __init__(self, raw: FrameStream) -> None:
        self.raw = raw
        super().__init__(io.BufferedWriter(raw), encoding="utf-8", errors="backslashreplace", line_buffering=True)

    def write(self, text: str) -> int:
        written = super().write(text)
        now = monotonic()
        if now - self.sent > FLUSH_AFTER_S:
            self.sent = now
            self.flush()
        self.raw.raise_late()
        raise_if_asked()
        return written

    def flush(self) -> None:
        super().flush()
        self.raw.raise_late()
        raise_if_asked()


def text_stream(fd: int, write_text: WriteText) -> PromptText:
    kind = LogText if fd == STDERR_FD else PromptText
    return kind(FrameStream(fd, write_text))


def print_in_one_write(*values: Any, sep: Any = " ", end: Any = "\n", file: Any = None, flush: bool = False) -> None:
    """Does what Python's `print` does, but writes the text in one piece."""
    stream = sys.stdout if file is None else file
    if not isinstance(stream, PromptText) or type(sep) is not str or type(end) is not str:
        print_plain(*values, sep=sep, end=end, file=file, flush=flush)
        return
    stream.write(sep.join([str(value) for value in values]) + end)
    if flush:
        stream.flush()


def print_output(text: str) -> None:
    for start in range(0, len(text), 1 << 20):
        channel.write("output", {"content": text[start : start + (1 << 20)]})


last_log: list[str] = []  # The last lines on stderr.
LAST_LOG_LINES, LAST_LOG_CHARS = 10, 500


def print_log(text: str) -> None:
    message = text.removesuffix("\n")
    last_log.extend(line[:LAST_LOG_CHARS] for line in message.split("\n")[-LAST_LOG_LINES:])
    del last_log[:-LAST_LOG_LINES]
    channel.write("log", {"level": channel.log_level, "stream": "stderr", "message": message})


class LogText(PromptText):
    """stderr. What Python's `logging` and `warnings` write there has its level."""

    def write(self, text: str) -> int:
        level = written_level(sys._getframe(1))
        if level is None:
            return super().write(text)
        self.flush()
        channel.log_level = level
        try:
            written = super().write(text)
            self.flush()
        finally:
            channel.log_level = "info"
        return written


def written_level(frame: Any) -> str | None:
    """Returns the level of the record that a frame of Python's own code writes; None for any other writer."""
    module, name = frame.f_globals.get("__name__"), frame.f_code.co_name
    if module == "logging" and name == "emit":
        number = getattr(frame.f_locals.get("record"), "levelno", 20)
        return "error" if number >= 40 else "warn" if number >= 30 else "info" if number >= 20 else "debug"
    return "warn" if module == "warnings" and name == "_showwarnmsg_impl" else None
