"""Stays in its sandbox, loads an agent's code once, and forks for each run: one at a time, nothing left of it afterwards.

It is pid 1 in there: no run can end it, all that a run starts comes to it in the end, and its own end takes everything
along. The worker's commands come on fd 5, each a line `<name> <length>` and a JSON body; answers are JSON lines. An agent's
code never holds that descriptor, so it can't speak for this file. `f`, the open fd 5, is given by the bootstrap.

The next run's process stands ready, forked before its request comes, and reads that itself from fd 3: so nothing of a run
is ever in this process's memory, which all later ones share.
"""

import _ctypes  # Without the types that `ctypes` makes of it: each fork copies the tables of what is in memory here.
import fcntl
import gc
import os
import resource
import signal
import sys
import termios
import traceback  # Used when an agent fails; here, so that each run finds it loaded.

CONTROL_FD = 5
CHANNELS = (1, 2, 3)
PR_SET_DUMPABLE = 4
prctl = _ctypes.dlsym(_ctypes.dlopen(None, 0), "prctl")


def set_dumpable(value):
    _ctypes.call_function(prctl, (PR_SET_DUMPABLE, value, 0, 0, 0))


def answer(line):
    while line:
        line = line[os.write(CONTROL_FD, line) :]


os.environ.pop("LD_BIND_NOW", None)  # For this process alone.

exec(modules["places"])
exec(modules["load_ahead"])


def await_run(agent, ahead):
    """The next run's process: lets go of what isn't the run's, waits for the request, plays it. Never returns."""
    os.close(CONTROL_FD)
    set_dumpable(1)
    os.setsid()
    if ahead:
        write_ahead(agent["files"])
        rehearse()
    request = encode_json.parse(read_request().decode("utf-8", "surrogatepass"))
    for name, soft_and_hard in request.pop("rlimits").items():
        resource.setrlimit(getattr(resource, "RLIMIT_" + name), tuple(soft_and_hard))
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed()  # Python's own `random` sees to that itself.
    request["code"] = {} if ahead else agent["code"]
    run_to_exit(request, agent["module"])


def write_ahead(files):
    """The agent's own files, whose names and contents were tried when it was loaded."""
    for name, data in files.items():
        if "/" in name:
            os.makedirs(os.path.dirname(name), exist_ok=True)
        put_file(name, data)


def rehearse():
    """Plays a run of nothing to nobody: what every run touches is then this process's own, before it counts."""
    global EVENTS_FD
    events, EVENTS_FD = EVENTS_FD, os.open(os.devnull, os.O_WRONLY)
    request = encode_json.parse(encode(nothing).decode())
    for name in ("NOFILE", "NPROC"):
        resource.setrlimit(getattr(resource, "RLIMIT_" + name), resource.getrlimit(getattr(resource, "RLIMIT_" + name)))
    type_, fields = run_agent(request, rehearsal)
    write_frame(type_, **fields)
    os.close(EVENTS_FD)
    EVENTS_FD = events
    context.clear()  # An agent's module that asks for it when it is loaded must not take this for its run's.


rehearsal = type(sys)("rehearsal")
exec("def main(input):\n    yield input\n    return {}", rehearsal.__dict__)
fields_of_run = ("history", "answers", "state_snapshot", "run_id", "thread_id", "agent_id", "user_id", "version", "attempt", "metadata")
nothing = {**dict.fromkeys(fields_of_run, None), "entrypoint": "", "env": {}, "code": {}, "files": {}, "input_payload": {}}


def read_request():
    """Eight bytes of length, and as many as they say."""
    length = int.from_bytes(read_exactly(8), "big")
    return read_exactly(length)


def read_exactly(length):
    data = bytearray()
    while len(data) < length:
        part = os.read(EVENTS_FD, min(length - len(data), 1 << 20))
        if not part:
            os._exit(1)  # The worker is gone.
        data += part
    return bytes(data)


def reap(child):
    """Waits for the run's process, ends what it left, and answers (status, cpu_ms, max_rss_bytes) of all of them."""
    cpu, rss, status = 0.0, 0, None
    while True:
        if status is not None:
            try:
                os.kill(-1, signal.SIGKILL)
            except ProcessLookupError:
                pass
        try:
            pid, ended, usage = os.wait4(-1, 0)
        except ChildProcessError:
            return status, round(cpu * 1000), rss * 1024
        cpu += usage.ru_utime + usage.ru_stime
        rss = max(rss, usage.ru_maxrss)
        if pid == child:
            status = ended


def play(agent, ahead):
    """One run, from fork to the last of its processes. `ahead`: its process stands ready before anybody asks for it."""
    child = os.fork()
    if child == 0:
        try:
            await_run(agent, ahead)
        finally:
            os._exit(1)
    # What this process touches while a fork of it lives is copied, so it keeps to little: no JSON is made here.
    token = os.urandom(16).hex().encode()
    status, cpu_ms, max_rss_bytes = reap(child)
    for fd in CHANNELS:
        os.set_blocking(fd, True)  # A run may have changed that, for all who share the descriptor.
        os.write(fd, b"\0runfleet-end:%b\n" % token)
    exit_code = os.waitstatus_to_exitcode(status)
    answer(b'{"type":"ended","exit_code":%d,"cpu_ms":%d,"max_rss_bytes":%d,"token":"%b"}\n' % (exit_code, cpu_ms, max_rss_bytes, token))
    if int.from_bytes(fcntl.ioctl(EVENTS_FD, termios.FIONREAD, bytes(4)), sys.byteorder):
        raise NotClean("the request was not read")


def read_command():
    length = int(f.readline().split()[1])
    return encode_json.parse(f.read(length).decode("utf-8", "surrogatepass"))


def serve():
    become_runner(**read_command())
    rehearse()  # What is made at first use, and found from then on, is made here once.
    untouched = look_around()
    request = read_command()
    os.environ.update(request["env"])
    agent = {"code": request["code"], "entrypoint": request["entrypoint"], "module": None}
    fault, env_read = None, []
    if request["preload"]:
        os.environ.__class__, plain = NotedEnviron, os.environ.__class__
        agent["module"], fault = load_agent(request["entrypoint"], request["code"])
        os.environ.__class__, env_read = plain, sorted(NotedEnviron.names)
    if agent["module"]:
        loaded_with.update(request["env"])
        agent["files"] = {name: decode_content(content) for name, content in request["code"].items()}
    directories = directories_of(request["code"])
    gc.collect()
    gc.freeze()
    set_dumpable(0)  # No run may look into this process.
    answer(encode({"type": "loaded", "preloaded": agent["module"] is not None, "fault": fault, "env_read": env_read}) + b"\n")
    ahead = False  # The first run waits already.
    while True:
        play(agent, ahead)
        clean_up(request["code"], directories, untouched)
        answer(b'{"type":"clean"}\n')
        ahead = agent["module"] is not None


try:
    serve()
finally:
    os._exit(1)
