"""Executes the runs of one thread in one process, so that each finds what those before it left in memory."""

from __future__ import annotations

import _thread
import os

from _runfleet import call_agent
from _runfleet.channel import print_log, print_output, send, write_frame
from _runfleet.daemon import STDERR, STDOUT, current, daemon, handle, inbox, thread_state
from _runfleet.daemon import main as main_of_daemon
from _runfleet.load_code import execute as execute_code
from _runfleet.load_code import read_code, split_entrypoint

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, NoReturn

    from _runfleet.channel import WriteText
    from _runfleet.context import Context


def capture(fd: int, write_text: WriteText) -> Callable[[], None]:
    """Sends what C code and subprocesses print as the current run's. Returns a function that sends what is left."""
    import codecs
    import select

    reader, writer = os.pipe()
    os.dup2(writer, fd)
    os.close(writer)
    os.set_blocking(reader, False)
    decode = codecs.getincrementaldecoder("utf-8")("replace").decode
    lock = _thread.allocate_lock()

    def drain() -> None:
        with lock:
            before, thread_state.run_id = current(), daemon.run_id
            try:
                while data := os.read(reader, 1 << 16):
                    write_text(decode(data))
            except BlockingIOError:
                thread_state.run_id = before

    def watch() -> NoReturn:
        poll = select.poll()
        poll.register(reader, select.POLLIN)
        while True:
            poll.poll()
            drain()

    _thread.start_new_thread(watch, ())
    return drain


def serve_thread(entrypoint: str) -> NoReturn:
    import faulthandler

    faulthandler.enable(os.dup(STDERR))
    daemon.drains = (capture(STDOUT, print_output), capture(STDERR, print_log))
    module = None

    def execute(run_context: Context) -> Any:
        nonlocal module
        before = {name: os.environ.get(name) for name in run_context["env"]}
        os.environ.update(run_context["env"])
        try:
            if module is None:
                code = read_code(*split_entrypoint(entrypoint))
                if code.script:
                    return call_agent.run_script(code, run_context)
                module = execute_code(code)
            return call_agent.call_entrypoint(entrypoint, run_context, send, module)
        finally:
            for name, value in before.items():
                os.environ.pop(name, None)
                if value is not None:
                    os.environ[name] = value

    write_frame("ready")
    while True:
        handle(execute, inbox.get())


def main(fd: int) -> None:
    main_of_daemon(fd, serve_thread)
