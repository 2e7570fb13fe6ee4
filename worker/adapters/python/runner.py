"""Runs one agent in this process: takes a request, leaves NDJSON frames on fd 3, exits 0 with a result and 1 without.

Start-up time is the product here: only modules that the interpreter has loaded or built in are imported at the top.
`modules` is given by the adapter: the code of the files beside this one. It ends by `once()`, or by `resident.py`.
"""

import _thread
import atexit
import builtins
import io
import os
import sys
import time

EVENTS_FD = 3
LINE_BYTES = 12 * 1024 * 1024  # What the worker reads as one frame.
TRACEBACK_CHARS = 64 * 1024
WORK_DIRECTORY = os.getcwd()  # Private to this run, and empty.

PATIENCE_S = 0.02
monotonic = time.monotonic
print_plain = builtins.print
lock = _thread.allocate_lock()


def load_part(name):
    part = type(sys)("runfleet_" + name)
    exec(modules[name], part.__dict__)
    return part


encode_json = load_part("encode_json")
encode = encode_json.encode
call_agent = load_part("call_agent")


def write_frame(type_, **fields):
    """Sends a frame as it is. False when it is longer than the worker would read."""
    line = encode({"type": type_, **fields}) + b"\n"
    if len(line) > LINE_BYTES:
        return False
    with lock:
        view = memoryview(line)
        while view:
            view = view[os.write(EVENTS_FD, view) :]
    return True


def flush():
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (ValueError, AttributeError):
            pass  # The agent closed or replaced it.


class EventTooLarge(ValueError):
    pass


class ArtifactTooLarge(ValueError):
    pass


def send(type_, **fields):
    """Sends a frame after all that was printed before it. Raises where it is too much for one, as the worker would take it for the run's end."""
    flush()
    if not write_frame(type_, **fields):
        kind = ArtifactTooLarge if type_ == "artifact" else EventTooLarge
        raise kind(f"One '{type_}' of the run is longer than {LINE_BYTES} bytes.")


class FrameStream(io.RawIOBase):
    """Python's own stdout and stderr. What C code and subprocesses write goes to the real descriptors, for the worker."""

    def __init__(self, fd, write_text):
        self.fd, self.write_text = fd, write_text
        import codecs

        self.decode = codecs.getincrementaldecoder("utf-8")("replace").decode

    def writable(self):
        return True

    def fileno(self):
        return self.fd

    def write(self, data):
        if text := self.decode(bytes(data)):
            self.write_text(text)
        return len(data)


class PromptText(io.TextIOWrapper):
    """Sends each line at once, and what is no whole line when some time has passed: a model's words as they come, but not `json.dump` by its commas."""

    sent = 0.0

    def write(self, text):
        written = super().write(text)
        now = monotonic()
        if now - self.sent > PATIENCE_S:
            self.sent = now
            self.flush()
        return written


def text_stream(fd, write_text):
    raw = io.BufferedWriter(FrameStream(fd, write_text))
    return PromptText(raw, encoding="utf-8", errors="backslashreplace", line_buffering=True)


def print_whole(*values, sep=" ", end="\n", file=None, flush=False):
    """Python's `print`, whose text comes in one piece."""
    stream = sys.stdout if file is None else file
    if type(stream) is not PromptText or type(sep) is not str or type(end) is not str:
        return print_plain(*values, sep=sep, end=end, file=file, flush=flush)
    stream.write(sep.join([str(value) for value in values]) + end)
    if flush:
        stream.flush()


def print_output(text):
    for start in range(0, len(text), 1 << 20):
        write_frame("output", content=text[start : start + (1 << 20)])


def print_log(text):
    write_frame("log", level="info", stream="stderr", message=text[:-1] if text.endswith("\n") else text)


exec(modules["context"])


def write_files(files):
    """Names are relative paths inside the working directory; a data: URL gives bytes, any other text itself."""
    for name, content in files.items():
        parts = name.split("/")
        if any(part in ("", ".", "..") for part in parts) or "\0" in name:
            raise ValueError(f"'{name}' is no relative path inside the run's directory")
        if len(parts) > 1:
            os.makedirs(os.path.dirname(name), exist_ok=True)
        put_file(name, decode_content(content))


def put_file(name, data):
    """Without `open`, whose layers touch ten times the memory: each run has to copy what it touches."""
    fd = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o666)
    while data:
        data = data[os.write(fd, data) :]
    os.close(fd)


def decode_content(content):
    head, comma, body = content.partition(",") if content.startswith("data:") else ("", "", "")
    if not comma or any(character.isspace() for character in head):
        return content.encode("utf-8", "replace")
    if head.endswith(";base64"):
        import binascii

        return binascii.a2b_base64(body)
    from urllib.parse import unquote_to_bytes

    return unquote_to_bytes(body)


def describe(error):
    """{error_type, message, traceback} with the agent's own frames and their source lines only."""
    try:
        import traceback
    except Exception:  # out of memory or descriptors
        return {"error_type": type(error).__name__, "message": str(error), "traceback": None}
    summary = traceback.TracebackException.from_exception(error)
    part, seen = summary, set()
    while part and id(part) not in seen:
        seen.add(id(part))
        part.stack = traceback.StackSummary.from_list(frame for frame in part.stack if not frame.filename.startswith("<runfleet"))
        part = part.__cause__ or part.__context__
    try:
        message = str(error)
    except Exception:
        message = "(its message can't be shown)"
    text = "".join(summary.format()).replace(WORK_DIRECTORY + os.sep, "")[-TRACEBACK_CHARS:]
    return {"error_type": type(error).__name__, "message": message[:TRACEBACK_CHARS], "traceback": text}


def report_usage():
    import resource

    scale = 1 if sys.platform == "darwin" else 1024
    both = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    cpu_ms = round(sum(usage.ru_utime + usage.ru_stime for usage in both) * 1000)
    write_frame("usage", cpu_ms=cpu_ms, max_rss_bytes=max(usage.ru_maxrss for usage in both) * scale)


loaded_with = {}  # The variables that the module was loaded with: what it made of them stays.


def run_agent(request, module):
    """Answers the last frame's type and fields. `module` is the agent's, where it is loaded already."""
    try:
        for name, value in request["env"].items():
            if loaded_with.get(name) != value:
                os.environ[name] = value
        write_files(request["code"])
        write_files(request["files"])
        fill_context(request)
        result = call_agent.call_entrypoint(request["entrypoint"], context, send, module)
        return "result", {"result_content": result}
    except BaseException as error:
        return end_by(error)


def end_by(error):
    """The last frame's type and fields of a run that raised."""
    if isinstance(error, Interrupted):
        return "interrupt", error.question
    if isinstance(error, SystemExit) and error.code in (None, 0):
        return "result", {"result_content": None}
    code = getattr(error, "runfleet_code", "agent_error")
    if code != "agent_error":
        return "error", {"code": code, "error_type": type(error).__name__, "message": str(error), "traceback": None}
    described = describe(error)
    return "error", {"code": code, **described, "traceback": None if isinstance(error, SystemExit) else described["traceback"]}


def finish(type_, fields):
    """After everything else is said: the last frame. Answers the exit code."""
    atexit._run_exitfuncs()
    flush()
    if write_frame(type_, **fields):
        return 1 if type_ == "error" else 0
    message = f"The result is longer than {LINE_BYTES} bytes."
    write_frame("error", code="agent_error", error_type="ResultTooLarge", message=message, traceback=None)
    return 1


def become_runner(site_path, packages):
    """What every agent finds: its imports, streams that are frames, and no trace of how it was started."""
    import _sitebuiltins
    import faulthandler

    os.set_inheritable(EVENTS_FD, False)
    sys.dont_write_bytecode = True
    # The agent's own packages before the machine's. No `site`: a package's .pth files would run their code here.
    sys.path += [packages, *site_path] if packages else site_path
    sys.stdout, sys.stderr = text_stream(1, print_output), text_stream(2, print_log)
    builtins.print = print_whole
    faulthandler.enable(2)
    builtins.exit = builtins.quit = _sitebuiltins.Quitter("exit", "Ctrl-D")
    offer_helper()


def run_to_exit(request, module=None, reports=()):
    """The whole of a run. `reports` are made at its end. Never returns."""
    runner = os.getpid()
    last = run_agent(request, module)
    if os.getpid() != runner:
        os._exit(1 if last[0] == "error" else 0)  # A fork of the agent's that came back here.
    for report in reports:
        try:
            report()
        except Exception:
            pass  # The agent used up what it needs; its result counts all the same.
    code = 1
    try:
        code = finish(*last)
    finally:
        os._exit(code)


def once():
    """One run, whose request is all that stands on stdin."""
    request = encode_json.parse(sys.stdin.buffer.read().decode("utf-8", "surrogatepass"))
    become_runner(request.pop("site_path"), request.pop("packages"))
    run_to_exit(request, reports=[report_usage])
