"""Stays with its agent: loads the code once, lets its `main` run on and hands it one message after another.

Commands come on stdin, a JSON line each: first the start (code, entrypoint, env, state), then {"type": "message", …request},
{"type": "cancel", "run_id"} and {"type": "stop"}. Frames go to fd 3 as a run's do, each with the message that it belongs to
in `to` (null: the daemon's own). What is printed outside of a message is the daemon's log.

`on_message(input, context)` is called in the main thread, while a `main`, if there is one as well, runs in another.
With no `main` either, whatever a run of this agent would call is called for each message. A `main` alone runs on in the
main thread, and takes its messages itself: `for message in context.messages(): message.reply(…)`.

For a thread (`interactive`) it is the memory between the thread's runs: each of them is played here as any run is, with its
own files and environment, by the code that the first of them loaded; session.py adds that.

It follows runner.py in the same namespace: `modules` and `f`, stdin, are given by the bootstrap.
"""

import queue
import signal

STDOUT, STDERR = 1, 2
thread_local = _thread._local()
inbox = queue.SimpleQueue()
cancelled = set()
at_hand = {"run_id": None}
drains = []
saved = {"state": ""}  # What the daemon saved last; a message that brings no state of its own finds it.
write_untied = write_frame
own_context = context


class Cancelled(BaseException):
    """The message at hand is no longer wanted."""


def current():
    return getattr(thread_local, "run_id", None)


def write_frame(type_, **fields):
    """A frame, whole: what would interrupt the main thread in the middle of it waits for its end."""
    global interruptible
    if type_ == "state":
        saved["state"] = fields["state_snapshot"]
    before = interruptible
    if _thread.get_ident() == main_thread:
        interruptible = False
    try:
        return write_untied(type_, to=current(), **fields)
    finally:
        if _thread.get_ident() == main_thread:
            interruptible = before
            interrupt()


def interrupt(*_):
    """In the main thread: ends the message at hand, if it is the function's and no longer wanted."""
    global interruptible
    if interruptible and current() in cancelled:
        interruptible = False
        raise Cancelled("The message was cancelled.")


def print_to(fd, write_text):
    """What is printed for a message goes to its run; all else to the real descriptor, which is the daemon's log."""

    def write(text):
        if current() is not None:
            return write_text(text)
        view = memoryview(text.encode("utf-8", "backslashreplace"))
        while view:
            view = view[os.write(fd, view) :]

    return write


class Message(dict):
    """What a `main` gets of its mailbox: `message.input`, `message.context`, and how to answer it."""

    def __init__(self, request):
        self.run_id, self.context = request["run_id"], open_message(request)
        self.input, self.answered = self.context["input"], False
        super().__init__(self.input)

    def reply(self, result=None):
        self.answer("result", result_content=result)

    def fail(self, error):
        known = isinstance(error, BaseException)
        self.answer("error", **(describe(error) if known else {"error_type": "Error", "message": str(error), "traceback": None}))

    def answer(self, type_, **fields):
        if not self.answered:
            self.answered = True
            close_message(self.run_id, type_, fields)


def messages():
    """Yields messages one by one, as they come. One that was not answered when the next is asked for is answered with null."""
    while True:
        message = Message(inbox.get())
        yield message
        message.reply()


def open_message(request):
    """The context of one message, whose files lie in a directory of its own."""
    global context
    run_id = thread_local.run_id = at_hand["run_id"] = request["run_id"]
    context = sys.modules["runfleet"].context = Context()
    request["state_snapshot"] = request["state_snapshot"] or saved["state"]
    asked.clear()
    fill_context(request)
    if interactive:
        write_files(request["files"])
        return context
    context["files"] = {}
    if request["files"]:
        directory = os.path.join(WORK_DIRECTORY, ".messages", run_id)
        os.makedirs(directory)
        context["files"] = {name: os.path.join(directory, name) for name in request["files"]}
        write_files({os.path.relpath(path): request["files"][name] for name, path in context["files"].items()})
    return context


def close_message(run_id, type_, fields):
    """The last frame of a message."""
    global context
    flush()
    for drain in drains:
        drain()
    if not write_frame(type_, **fields):
        message = f"The result is longer than {LINE_BYTES} bytes."
        write_frame("error", error_type="ResultTooLarge", message=message, traceback=None)
    thread_local.run_id = at_hand["run_id"] = None
    cancelled.discard(run_id)
    if context["files"] and not interactive:
        import shutil

        shutil.rmtree(os.path.join(WORK_DIRECTORY, ".messages", run_id), ignore_errors=True)
    context = sys.modules["runfleet"].context = own_context


def handle(act, request):
    """Plays one message, which ends in every case."""
    global interruptible
    run_id = request["run_id"]
    try:
        message_context = open_message(request)
        interruptible = True
        interrupt()
        last = "result", {"result_content": act(message_context)}
    except BaseException as error:
        if stopping and isinstance(error, SystemExit):
            raise
        last = end_by(error)
    interruptible = False
    close_message(run_id, *last)


def hear_commands():
    """In a thread of its own. The pipe's end means that the worker is gone."""
    global stopping
    for line in f:
        command = encode_json.parse(line.decode("utf-8", "surrogatepass"))
        kind = command.pop("type")
        if kind == "message":
            inbox.put(command)
        elif kind == "cancel":
            cancelled.add(command["run_id"])
            signal.pthread_kill(main_thread, signal.SIGINT)
        else:
            stopping = True
            signal.pthread_kill(main_thread, signal.SIGTERM)
    os._exit(1)


def on_terminate(*_):
    raise SystemExit(0)


def run_aside(main):
    """A `main` beside `on_message`. Its return is none of our business; its error ends the daemon."""
    try:
        call_agent.drive(call_agent.call(main, own_context), send)
    except BaseException as error:
        end_daemon(error)


def end_daemon(error=None):
    """Says why, as far as there is a reason, and is gone. Nothing of a daemon's comes after this."""
    code = 0
    if error is not None and not (isinstance(error, SystemExit) and error.code in (None, 0)):
        code = 1
        described = describe(error)
        thread_local.run_id = None
        send("log", level="error", stream="agent", message=described["traceback"] or described["message"])
    try:
        import atexit

        atexit._run_exitfuncs()
        flush()
    finally:
        os._exit(code)


def serve(entrypoint):
    path, name = call_agent.split_entrypoint(entrypoint)
    path, tree, script = call_agent.read_code(path, name)
    if script and "on_message" not in call_agent.defined_names(tree.body):
        write_frame("ready")
        call_agent.execute(path, tree, True)
        write_frame("log", level="warn", stream="agent", message=f"'{path}' has neither on_message nor main, and has run to its end.")
        return None
    module = call_agent.execute(path, tree, False)
    main = getattr(module, name if name and name != "on_message" else "main", None)
    on_message = getattr(module, "on_message", None)
    if on_message is None and main is None:
        on_message = call_agent.adapt(call_agent.first_callable(module), send)
    if on_message is None and main is None:
        raise call_agent.BadEntrypoint(f"'{path}' has neither on_message nor main.")
    write_frame("ready")
    if on_message is None:
        return call_agent.drive(call_agent.call(main, own_context), send)
    if main is not None:
        _thread.start_new_thread(run_aside, (main,))
    while True:
        handle(lambda message_context: call_agent.drive(call_agent.call(on_message, message_context), send), inbox.get())


main_thread = _thread.get_ident()
interruptible = stopping = False
start = encode_json.parse(f.readline().decode("utf-8", "surrogatepass"))
f = os.fdopen(os.dup(0), "rb")  # Nothing more is sent before `ready`, so the old buffer is empty.
os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
interactive = start["lifecycle"] == "interactive"
become_runner(start["site_path"], start["packages"])
sys.stdout, sys.stderr = text_stream(STDOUT, print_to(STDOUT, print_output)), text_stream(STDERR, print_to(STDERR, print_log))
Context.messages = staticmethod(messages)
sys.modules["runfleet"].messages = messages
signal.signal(signal.SIGINT, interrupt)
signal.signal(signal.SIGTERM, on_terminate)
try:
    os.environ.update(start["env"])
    write_files(start["code"])
    saved["state"] = start["state_snapshot"]
    own_context.update({name: start[name] for name in ("agent_id", "user_id", "version", "env", "state_snapshot")})
    own_context.update(input={}, files={}, history=[], metadata={}, run_id=None, thread_id=None, attempt=0, state=saved["state"])
    _thread.start_new_thread(hear_commands, ())
    if interactive:
        exec(modules["session"])
    (serve_thread if interactive else serve)(start["entrypoint"])
    end_daemon()
except BaseException as error:
    end_daemon(error)
