"""Stays in its sandbox, loads an agent's code once, and forks for each run: one at a time, nothing left of it afterwards.

It is pid 1 in there: no run can end it, all that a run starts comes to it in the end, and its own end takes everything
along. The worker's commands come on fd 5, each a line `<name> <length>` and a JSON body; answers are JSON lines. An agent's
code never holds that descriptor, so it can't speak for this file. `f`, the open fd 5, is given by the bootstrap.
"""

import ctypes
import gc
import os
import resource
import signal
import stat
import sys
import traceback  # Used when an agent fails; here, so that each run finds it loaded.

CONTROL_FD = 5
CHANNELS = (1, 2, 3)
WORK = os.getcwd()
ROOT = os.path.dirname(WORK)
PLACES = (ROOT, WORK, os.path.join(ROOT, "tmp"), "/dev/shm")
MOST_ENTRIES = 2_000  # More than this a run leaves behind only by intent; a new sandbox is cheaper.
PR_SET_DUMPABLE = 4
prctl = ctypes.CDLL(None).prctl


def answer(type_, **fields):
    line = encode({"type": type_, **fields}) + b"\n"
    while line:
        line = line[os.write(CONTROL_FD, line) :]


class NotClean(Exception):
    """Something of a run is left that can't be removed."""


def identify(place):
    found = os.lstat(place)
    return found.st_dev, found.st_ino, stat.S_IFMT(found.st_mode)


def wipe():
    """Empties every place that a run can write to. Answers how many entries there were."""
    return sum(empty(place, MOST_ENTRIES) for place in PLACES)


def empty(directory, most):
    os.chmod(directory, 0o755)
    with os.scandir(directory) as found:
        entries = list(found)
    removed = 0
    for entry in entries:
        if entry.path in PLACES:
            continue
        if entry.is_dir(follow_symlinks=False):
            removed += empty(entry.path, most - removed)
            os.rmdir(entry.path)
        else:
            os.unlink(entry.path)
        removed += 1
        if removed > most:
            raise NotClean(directory)
    return removed


class NotedEnviron(os._Environ):
    """The environment while an agent's module is loaded: notes what it was asked for, since a run may bring another."""

    names = set()

    def __getitem__(self, name):
        self.names.add(name)
        return super().__getitem__(name)

    def __iter__(self):
        self.names.add("*")
        return super().__iter__()


def load_agent(entrypoint, files):
    """
    Runs the agent's module, once for all runs. Answers (module, fault): without a module each run loads the code itself;
    with a fault the code did something that a fork can't share, and this process is no clean ground any more.
    """
    write_files(files)
    written = count_entries(files)
    try:
        code = call_agent.read_code(*call_agent.split_entrypoint(entrypoint))
    except Exception:
        code = None  # It can't even be read: each run will say why.
    if code is None or code[2]:
        wipe()
        return None, None
    before = {*os.listdir("/proc/self/fd")}, count_shared()
    with Silence() as silence:
        try:
            module = call_agent.execute(*code)
            flush()
        except BaseException as error:
            return None, f"it raises {type(error).__name__} when it is imported"
    os.chdir(WORK)
    os.umask(0o022)
    after = {*os.listdir("/proc/self/fd")}, count_shared()
    left = wipe()
    return module, find_fault(silence.broken, before, after, left != written)


class Silence:
    """The agent's channels lead nowhere inside of it. `broken`: whether something was written to one."""

    def __enter__(self):
        self.noise = os.memfd_create("noise")
        self.kept = [os.dup(fd) for fd in CHANNELS]
        for fd in CHANNELS:
            os.dup2(self.noise, fd, inheritable=fd != EVENTS_FD)
        return self

    def __exit__(self, *_):
        self.broken = os.fstat(self.noise).st_size > 0
        for fd, kept in zip(CHANNELS, self.kept):
            os.dup2(kept, fd, inheritable=fd != EVENTS_FD)
            os.close(kept)
        os.close(self.noise)


def find_fault(spoke, before, after, wrote_files):
    """Why a module that was loaded here must not be forked, if it mustn't."""
    faults = {
        "writes output": spoke,
        "starts threads": len(os.listdir("/proc/self/task")) > 1,
        "starts processes": has_children(),
        "opens files or connections": before[0] != after[0],
        "shares memory": before[1] != after[1],
        "writes files": wrote_files,
    }
    return next((f"it {fault} when it is imported" for fault, found in faults.items() if found), None)


def has_children():
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        return True
    except ChildProcessError:
        return False


def count_shared():
    with open("/proc/self/maps") as file:
        return sum(line.split(maxsplit=2)[1].endswith("s") for line in file)


def count_entries(files):
    """Files, and the directories that they lie in."""
    return len({name[:end] for name in files for end in (len(name), *(i for i, c in enumerate(name) if c == "/"))})


def enter_run(limits):
    """In the fork: lets go of what isn't the run's, and takes its limits."""
    os.close(CONTROL_FD)
    prctl(PR_SET_DUMPABLE, 1)
    os.setsid()
    for name, soft_and_hard in limits.items():
        resource.setrlimit(getattr(resource, "RLIMIT_" + name), tuple(soft_and_hard))
    with open("/proc/self/oom_score_adj", "w") as file:
        file.write("1000")  # Out of memory, the run is to end, not the sandbox.
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed()  # Python's own `random` sees to that itself.


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


def play(agent, body):
    """One run, from fork to the last of its processes."""
    child = os.fork()
    if child == 0:
        request = encode_json.parse(body.decode("utf-8", "surrogatepass"))
        enter_run(request.pop("rlimits"))
        run_to_exit({**request, "code": agent["code"]}, agent["module"])
    status, cpu_ms, max_rss_bytes = reap(child)
    marker = b"\0runfleet-end:" + os.urandom(16).hex().encode() + b"\n"
    for fd in CHANNELS:
        os.set_blocking(fd, True)  # A run may have changed that, for all who share the descriptor.
        os.write(fd, marker)
    signaled = os.WIFSIGNALED(status)
    answer(
        "ended",
        code=None if signaled else os.WEXITSTATUS(status),
        signal=os.WTERMSIG(status) if signaled else None,
        cpu_ms=cpu_ms,
        max_rss_bytes=max_rss_bytes,
        marker=marker.decode(),
    )


def serve():
    identities = [identify(place) for place in PLACES]
    agent = {"code": {}, "module": None}
    while head := f.readline():
        name, length = head.split()
        body = f.read(int(length))
        if name == b"start":
            request = encode_json.parse(body.decode())
            become_runner(request["site_path"])
        elif name == b"load":
            request = encode_json.parse(body.decode("utf-8", "surrogatepass"))
            os.environ.update(request["env"])
            agent = {"code": request["code"], "module": None}
            fault, env_read = None, []
            if request["preload"]:
                os.environ.__class__, plain = NotedEnviron, os.environ.__class__
                agent["module"], fault = load_agent(request["entrypoint"], request["code"])
                os.environ.__class__, env_read = plain, sorted(NotedEnviron.names)
            gc.collect()
            gc.freeze()
            prctl(PR_SET_DUMPABLE, 0)  # No run may look into this process.
            answer("loaded", preloaded=agent["module"] is not None, fault=fault, env_read=env_read)
        else:
            play(agent, body)
            wipe()
            if [identify(place) for place in PLACES] != identities:
                raise NotClean("a place was replaced")
            answer("clean")


try:
    serve()
finally:
    os._exit(1)
