"""Stays with its agent: loads the code once and hands it one message after another, while its `main` may run.

Commands come on stdin, a JSON line each: first the start (code, entrypoint, env, state), then
{"type": "message", …request}, {"type": "cancel", "run_id"} and {"type": "stop"}. Frames go to fd 3, each with the run
id of its message in `to` (null: the daemon's own). What is printed outside of a message is the daemon's log.

`on_message(input, context)` is called in the main thread, while a `main`, if there is one, runs in another. Without it,
and without a `main`, the function is called that a run of this agent would call. A `main` alone runs in the main
thread, and takes its messages itself: `for message in context.messages(): message.reply(…)`.

For a thread (`interactive`) this process keeps the memory between the thread's runs. Each run is executed here with its
own files and environment, by the code that the first of them loaded; session.py does that.
"""

from __future__ import annotations

import _thread
import os
import queue
import signal
import sys

from _runfleet import call_agent, encode_json
from _runfleet.channel import channel, flush, print_log, print_output, send, text_stream, write_frame
from _runfleet.context import Context, asked, fill_context, state_of
from _runfleet.context import context as own_context
from _runfleet.endings import WORK_DIRECTORY, describe, ending_of, write_ending
from _runfleet.files import write_files
from _runfleet.load_code import defined_names, read_code, split_entrypoint
from _runfleet.load_code import execute as execute_code
from _runfleet.runner import become_runner

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any, NoReturn

    from _runfleet.channel import WriteText

STDOUT, STDERR = 1, 2
thread_state = _thread._local()
inbox: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
cancelled: set[str] = set()
main_thread = _thread.get_ident()


class Daemon:
    """The state of this process and of the current message."""

    interactive = False
    interruptible = False  # True while the main thread is in the agent's function for a message.
    stopping = False
    reads = False  # True once the agent has asked for a message.
    run_id: str | None = None  # Of the current message; None between messages.
    context = own_context
    state = ""  # The state that was saved last. A message without a state of its own gets it.
    drains: tuple[Callable[[], None], ...] = ()  # Each sends what C code and subprocesses have printed.


daemon = Daemon()
write_plain = channel.write


class Cancelled(BaseException):
    """The current message was cancelled."""


def current() -> str | None:
    """Returns the run that this thread's frames belong to. In an interactive process that is the run under way."""
    return getattr(thread_state, "run_id", daemon.run_id if daemon.interactive else None)


def write_with_run_id(type_: str, fields: dict[str, Any]) -> bool:
    """Writes a frame with its message's run id. A cancel waits until the frame is written as a whole."""
    if type_ == "state":
        daemon.state = fields["state_snapshot"]
    before = daemon.interruptible
    if _thread.get_ident() == main_thread:
        daemon.interruptible = False
    try:
        return write_plain(type_, {"to": current(), **fields})
    finally:
        if _thread.get_ident() == main_thread:
            daemon.interruptible = before
            interrupt()


def interrupt(*_: Any) -> None:
    """Raises in the main thread when the current message was cancelled and the agent's function works on it."""
    if daemon.interruptible and current() in cancelled:
        daemon.interruptible = False
        raise Cancelled("The message was cancelled.")


def print_to(fd: int, write_text: WriteText) -> WriteText:
    """Sends what is printed for a message as a frame, and anything else to the real descriptor, the daemon's log."""

    def write(text: str) -> None:
        if current() is not None:
            write_text(text)
            return
        view = memoryview(text.encode("utf-8", "backslashreplace"))
        while view:
            view = view[os.write(fd, view) :]

    return write


class RunContext(Context):
    """A run's context in an interactive process. What a thread sends by it after the run's end is of no later run."""

    def send_frame(self, type_: str, **fields: Any) -> None:
        send(type_, to=self["run_id"], **fields)


class Message(dict[str, Any] if TYPE_CHECKING else dict):
    """A message as `main` gets it: `message.input`, `message.context`, and the methods to answer it."""

    def __init__(self, request: dict[str, Any]) -> None:
        self.run_id, self.context = request["run_id"], open_message(request)
        self.input, self.answered = self.context["input"], False
        super().__init__(self.input)

    def reply(self, result: Any = None) -> None:
        self.answer("result", result_content=result)

    def fail(self, error: Any) -> None:
        known = isinstance(error, BaseException)
        self.answer(
            "error", **(describe(error) if known else {"error_type": "Error", "message": str(error), "traceback": None})
        )

    def answer(self, type_: str, **fields: Any) -> None:
        if not self.answered:
            self.answered = True
            close_message(self.run_id, type_, fields)


def messages() -> Iterator[Message]:
    """Yields messages as they come. A message that wasn't answered when the next is asked for is answered with null."""
    daemon.reads = True
    while True:
        message = Message(inbox.get())
        yield message
        message.reply()


def set_context(context: Context) -> Context:
    helper: Any = sys.modules["runfleet"]
    daemon.context = helper.context = context
    return context


def open_message(request: dict[str, Any]) -> Context:
    """Returns the context of a message. A daemon's message has a directory of its own for its files."""
    run_id = thread_state.run_id = daemon.run_id = request["run_id"]
    context = set_context(RunContext() if daemon.interactive else Context())
    # A run has the state that comes with it: the process may have executed runs of other threads.
    if not daemon.interactive:
        request["state_snapshot"] = request["state_snapshot"] or daemon.state
    asked.clear()
    fill_context(context, request)
    if daemon.interactive:
        write_files(request["files"])
        return context
    context["files"] = {}
    if request["files"]:
        directory = os.path.join(WORK_DIRECTORY, ".messages", run_id)
        os.makedirs(directory)
        context["files"] = {name: os.path.join(directory, name) for name in request["files"]}
        write_files({os.path.relpath(path): request["files"][name] for name, path in context["files"].items()})
    return context


def close_message(run_id: str, type_: str, fields: dict[str, Any]) -> None:
    """Writes the last frame of a message and forgets the message."""
    flush()
    for drain in daemon.drains:
        drain()
    write_ending(type_, fields)
    thread_state.run_id = daemon.run_id = None
    cancelled.discard(run_id)
    if daemon.context["files"] and not daemon.interactive:
        import shutil

        shutil.rmtree(os.path.join(WORK_DIRECTORY, ".messages", run_id), ignore_errors=True)
    set_context(own_context)


def handle(act: Callable[[Context], Any], request: dict[str, Any]) -> None:
    """Executes one message, which ends in every case."""
    run_id = request["run_id"]
    try:
        message_context = open_message(request)
        daemon.interruptible = True
        interrupt()
        last = "result", {"result_content": act(message_context)}
    except BaseException as error:
        if daemon.stopping and isinstance(error, SystemExit):
            raise
        last = ending_of(error)
    daemon.interruptible = False
    close_message(run_id, *last)


def read_commands(commands: Iterable[bytes]) -> NoReturn:
    """Reads commands, in a thread of its own, until the pipe ends, which means that the worker is gone."""
    for line in commands:
        command = encode_json.parse(line.decode("utf-8", "surrogatepass"))
        kind = command.pop("type")
        if kind == "message":
            inbox.put(command)
        elif kind == "cancel":
            cancelled.add(command["run_id"])
            signal.pthread_kill(main_thread, signal.SIGINT)
        else:
            daemon.stopping = True
            signal.pthread_kill(main_thread, signal.SIGTERM)
    os._exit(1)


def on_terminate(*_: Any) -> NoReturn:
    raise SystemExit(0)


def run_main(main: Callable[..., Any]) -> None:
    """Runs a `main` beside `on_message`. When `main` returns, the daemon goes on; an error ends the daemon."""
    try:
        call_agent.drive(call_agent.call(main, own_context), send)
    except BaseException as error:
        end_daemon(error)


def end_daemon(error: BaseException | None = None) -> NoReturn:
    """Logs the error, if there is one, and ends the process."""
    code = 0
    if error is not None and not (isinstance(error, SystemExit) and error.code in (None, 0)):
        code = 1
        described = describe(error)
        thread_state.run_id = None
        send("log", level="error", stream="agent", message=described["traceback"] or described["message"])
    try:
        import atexit

        atexit._run_exitfuncs()
        flush()
    finally:
        os._exit(code)


def serve(entrypoint: str) -> None:
    path, name = split_entrypoint(entrypoint)
    code = read_code(path, name)
    if code.script and "on_message" not in defined_names(code.tree.body):
        write_frame("ready")
        execute_code(code)
        write_frame(
            "log",
            level="warn",
            stream="agent",
            message=f"'{path}' has neither on_message nor main, and has run to its end.",
        )
        return None
    code.script = False
    module: Any = execute_code(code)
    main: Any = getattr(module, name if name and name != "on_message" else "main", None)
    on_message: Any = getattr(module, "on_message", None)
    if on_message is None and main is None:
        on_message = call_agent.find_function(module, "", send)
    write_frame("ready")
    if on_message is None:
        return call_agent.drive(call_agent.call(main, own_context), send)  # pyright: ignore[reportArgumentType]
    if main is not None:
        _thread.start_new_thread(run_main, (main,))
    while True:
        handle(
            lambda message_context: call_agent.drive(call_agent.call(on_message, message_context), send), inbox.get()
        )


def main(fd: int, serve: Callable[[str], None] = serve) -> None:
    # The agent must not read commands.
    commands = os.fdopen(os.dup(fd), "rb")
    os.dup2(os.open(os.devnull, os.O_RDONLY), fd)
    start = encode_json.parse(commands.readline().decode("utf-8", "surrogatepass"))
    daemon.interactive = start["lifecycle"] == "interactive"
    become_runner(start["venv"], start["packages"])
    channel.write = write_with_run_id
    sys.stdout, sys.stderr = (
        text_stream(STDOUT, print_to(STDOUT, print_output)),
        text_stream(STDERR, print_to(STDERR, print_log)),
    )
    helper: Any = sys.modules["runfleet"]
    Context.messages = staticmethod(messages)  # pyright: ignore[reportAttributeAccessIssue]
    helper.messages, helper.Message = messages, Message
    signal.signal(signal.SIGINT, interrupt)
    signal.signal(signal.SIGTERM, on_terminate)
    try:
        os.environ.update(start["env"])
        write_files(start["code"])
        daemon.state = start["state_snapshot"]
        own_context.update({name: start[name] for name in ("agent_id", "user_id", "version", "env", "state_snapshot")})
        own_context.update(
            input={},
            files={},
            history=[],
            metadata={},
            run_id=None,
            thread_id=None,
            attempt=0,
            state=state_of(daemon.state),
        )
        _thread.start_new_thread(read_commands, (commands,))
        serve(start["entrypoint"])
        if not daemon.reads:
            write_frame("unread")
        end_daemon()
    except BaseException as error:
        end_daemon(error)
