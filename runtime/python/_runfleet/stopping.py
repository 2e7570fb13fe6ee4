"""Asks a run's code to end: SIGTERM raises Stopped in the main thread, so that every `finally` runs."""

from __future__ import annotations

import _signal
import _thread
import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType
    from typing import Any

SIGTERM = 15
WRITER = "<runfleet _runfleet.channel>"  # The file of the functions that write frames, which must be whole.


class Stopped(SystemExit):
    """The run was cancelled, is out of time, or its worker leaves.

    A SystemExit, since event loops pass it on from any task.
    """


class Stopping:
    process = 0  # The process whose code may be asked to end; 0 while no code of the agent's runs.
    thread = 0  # Its main thread.
    is_asked = False  # True from a request that came while a frame was written to the exception that it raises.


stopping = Stopping()


def begin() -> None:
    stopping.process, stopping.thread, stopping.is_asked = os.getpid(), _thread.get_ident(), False


def end() -> None:
    stopping.process = 0


def on_terminate(_: Any, frame: FrameType | None) -> None:
    if stopping.process == 0:
        return
    if stopping.process != os.getpid():  # A child of the agent's ends as any process.
        _signal.signal(SIGTERM, _signal.SIG_DFL)
        os.kill(os.getpid(), SIGTERM)
    else:
        stopping.is_asked = True
        if not is_writing(frame):
            raise_if_asked()


def raise_if_asked() -> None:
    """Called by what writes, when all is written."""
    if stopping.is_asked and stopping.process and stopping.thread == _thread.get_ident():
        stopping.is_asked = False
        raise Stopped("The run was asked to end.")


def is_writing(frame: FrameType | None) -> bool:
    while frame is not None:
        if frame.f_code.co_filename == WRITER:
            return True
        frame = frame.f_back
    return False


def listen() -> None:
    """Called before the agent's code, which may have a handler of its own."""
    _signal.signal(SIGTERM, on_terminate)
