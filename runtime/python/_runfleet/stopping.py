"""Asks a run's code to end: SIGTERM raises Stopped in the main thread, so that every `finally` runs."""

from __future__ import annotations

import _signal
import _thread
import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import CodeType, FrameType
    from typing import Any

SIGTERM = 15


class Stopped(SystemExit):
    """The run was cancelled, is out of time, or its worker leaves.

    A SystemExit, since event loops pass it on from any task.
    """


class Stopping:
    process = 0  # The process whose code may be asked to end; 0 while no code of the agent's runs.
    thread = 0  # Its main thread.
    # The process that was asked to end and has not raised it yet, since it wrote a frame or was before its code.
    # What is forked from it was not asked.
    asked = 0


stopping = Stopping()
frame_writers: set[CodeType] = set()  # Of functions that must not be cut, since a frame must be whole.


def begin() -> None:
    """Raises when the run was asked to end while its request was read."""
    stopping.process, stopping.thread = os.getpid(), _thread.get_ident()
    raise_if_asked()


def end() -> None:
    stopping.process = stopping.asked = 0


def on_terminate(_: Any, frame: FrameType | None) -> None:
    if stopping.process == 0:
        stopping.asked = os.getpid()
    elif stopping.process != os.getpid():  # A child of the agent's ends as any process.
        _signal.signal(SIGTERM, _signal.SIG_DFL)
        os.kill(os.getpid(), SIGTERM)
    else:
        stopping.asked = os.getpid()
        if not is_writing(frame):
            raise_if_asked()


def raise_if_asked() -> None:
    """Called by what writes, when all is written."""
    if not stopping.asked or not stopping.process or stopping.thread != _thread.get_ident():
        return
    if stopping.asked == os.getpid():
        stopping.asked = 0
        raise Stopped("The run was asked to end.")


def is_writing(frame: FrameType | None) -> bool:
    while frame is not None:
        if frame.f_code in frame_writers:
            return True
        frame = frame.f_back
    return False


def listen() -> None:
    """Called before the agent's code, which may have a handler of its own."""
    _signal.signal(SIGTERM, on_terminate)
