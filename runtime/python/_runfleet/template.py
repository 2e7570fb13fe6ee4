"""Pid 2 of a warm sandbox: loads the author's code once, and forks at each signal.

Once the code is loaded, the code can control this process, so pid 1 checks it before and after each run and trusts none
of its answers. It holds no descriptor then: the socket that the code came by is closed, and each fork asks pid 1 for
pipes of its own. So a run inherits nothing that a later run has, too.
"""

from __future__ import annotations

import _signal  # Has no enumerations, which `signal` makes at each call.
import _socket
import _struct
import gc
import os
import resource
import signal
import sys
import traceback  # noqa: F401 -- Used when an agent fails. Imported here, so that no run has to load it.

from _runfleet import call_agent, encode_json, kernel, load_part
from _runfleet.channel import channel, send, write_frame
from _runfleet.context import context, request_fields, starting_calls, waiting_calls
from _runfleet.files import decode_content, put_file
from _runfleet.load_ahead import load_agent
from _runfleet.runner import become_runner, loaded_with, replies, run_agent, run_to_exit, uses_steps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn

PIPE_SOCKET = "\0runfleet"
REQUEST_FD, PIPE_FD = 4, 100
PASSED = _struct.pack("4i", 1, 2, 3, REQUEST_FD)  # stdout, stderr, events, request.
SIGUSR1, SIG_SETMASK = int(signal.SIGUSR1), int(signal.SIG_SETMASK)
TIMERS = (signal.ITIMER_REAL, signal.ITIMER_VIRTUAL, signal.ITIMER_PROF)


def serve(pipe: Any, options: dict[str, Any]) -> NoReturn:
    """Reads the code from `pipe`, answers once, and then forks at each signal."""
    pipe_fd = reserve_descriptors(pipe.detach())
    os.setsid()
    signal.signal(signal.SIGINT, signal.default_int_handler)
    kernel.drop_capabilities()
    kernel.set_dumpable(1)
    if options["filter"]:
        kernel.add_seccomp_filter(bytes.fromhex(options["filter"]))
    fork = kernel.SiblingFork()
    put_oom_score()
    become_runner(options["venv"], options["packages"])
    warm_up()  # What Python makes at first use is made here, once for all runs.
    request = read_message(pipe_fd)
    cpu = request["rlimits"].pop("CPU")
    for name, soft_and_hard in request["rlimits"].items():
        resource.setrlimit(getattr(resource, "RLIMIT_" + name), tuple(soft_and_hard))
    agent, answer = prepare_agent(request)
    gc.collect()
    gc.freeze()
    kernel.set_dumpable(0)  # No run may look into this process.
    for timer in TIMERS:
        signal.setitimer(timer, 0)  # No fork inherits it, and its signal would wait here as one that a run has sent.
    signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    write_all(pipe_fd, encode_json.encode(answer))
    os.closerange(0, 1024)
    while True:
        _signal.sigwait((SIGUSR1,))
        if fork() == 0:
            try:
                resource.setrlimit(resource.RLIMIT_CPU, tuple(cpu))
                await_run(agent)
            finally:
                os._exit(1)


def reserve_descriptors(pipe_fd: int) -> int:
    """Opens /dev/null as descriptors 0 to 3, and closes all others but the pipe. Returns the pipe's descriptor."""
    os.dup2(pipe_fd, PIPE_FD, inheritable=False)
    devnull = os.open(os.devnull, os.O_RDWR)
    for fd in range(REQUEST_FD):
        os.dup2(devnull, fd)
    os.closerange(REQUEST_FD, PIPE_FD)
    os.closerange(PIPE_FD + 1, 1024)
    return PIPE_FD


def put_oom_score() -> None:
    """Makes the kernel kill this process or a fork, rather than pid 1, when memory is short."""
    with open("/proc/self/oom_score_adj", "w") as file:
        file.write("500")


def prepare_agent(request: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Returns what each fork needs to know about the agent, and the answer to the worker."""
    os.environ.update(request["env"])
    agent: dict[str, Any] = {"code": request["code"], "entrypoint": request["entrypoint"], "module": None}
    agent["uses_steps"] = False
    fault: str | None = None
    env_read: list[str] = []
    if request["preload"]:
        agent["module"], fault, env_read = load_agent(request["entrypoint"], request["code"])
    if agent["module"]:
        loaded_with.update(request["env"])
        agent["uses_steps"] = uses_steps(request["code"])
        if agent["uses_steps"]:
            load_ahead_of_steps("\n".join(request["code"].values()))
        agent["files"] = {name: decode_content(content) for name, content in request["code"].items()}
    return agent, {"preloaded": agent["module"] is not None, "fault": fault, "env_read": env_read}


def load_ahead_of_steps(code: str) -> None:
    """Loads what a run with steps needs, once for all forks. `code`: tells what it may wait for."""
    import hashlib  # noqa: F401
    import threading  # noqa: F401

    load_part("steps")
    waits, starts = (any(f"{call}(" in code for call in calls) for calls in (waiting_calls, starting_calls))
    for part, is_used in (("waits", waits), ("children", starts), ("idle", waits or starts)):
        if is_used:
            load_part(part)
    if "asyncio" in sys.modules:
        import concurrent.futures.thread  # noqa: F401

        load_part("async_steps")


def await_run(agent: dict[str, Any]) -> NoReturn:
    """Executes the next run: takes the run's pipes, waits for its request, and ends the process."""
    os.setsid()
    kernel.set_dumpable(1)
    take_pipes()
    if agent["module"]:
        write_agent_files(agent["files"])
        warm_up()
    if "numpy" in sys.modules:
        numpy: Any = sys.modules["numpy"]
        numpy.random.seed()  # Python's own `random` does so at each fork.
    _signal.pthread_sigmask(SIG_SETMASK, ())  # Not before: the empty run would take the request to end of this one.
    request = read_message(REQUEST_FD)
    os.set_inheritable(REQUEST_FD, False)
    replies.fd, replies.uses_steps = REQUEST_FD, agent["uses_steps"]
    request["code"] = {} if agent["module"] else agent["code"]
    run_to_exit(request, agent["module"])


def take_pipes() -> None:
    """Takes the run's pipes from pid 1. No descriptor is open before, so they get the numbers in PASSED."""
    connection = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    connection.connect(PIPE_SOCKET)
    passed = connection.recvmsg(1, 64)[1][0][2]
    if passed != PASSED:
        os._exit(1)
    connection.close()
    os.open(os.devnull, os.O_RDONLY)  # stdin
    os.set_inheritable(channel.fd, False)


def write_agent_files(files: dict[str, bytes]) -> None:
    """Writes the agent's files, whose names and contents were checked when the agent was loaded."""
    for name, data in files.items():
        if "/" in name:
            os.makedirs(os.path.dirname(name), exist_ok=True)
        put_file(name, data)


def warm_up() -> None:
    """Executes an empty run, so that the pages which every run touches are copied before the request comes."""
    channel.fd = os.open(os.devnull, os.O_WRONLY)
    request = encode_json.parse(encode_json.encode(empty_request).decode())
    type_, fields = run_agent(request, warm_up_module)
    write_frame(type_, **fields)
    os.close(channel.fd)
    del channel.fd
    context.clear()  # A module that reads the context while it is loaded must not find this run.


warm_up_module = type(sys)("warm_up_module")
exec("def main(input):\n    yield input\n    return {}", warm_up_module.__dict__)
call_agent.prepare(warm_up_module, "", send)
empty_request: dict[str, Any] = {
    **dict.fromkeys(request_fields, None),
    "entrypoint": "",
    "env": {},
    "code": {},
    "files": {},
    "input_payload": {},
}


def read_message(fd: int) -> dict[str, Any]:
    """Reads eight bytes of length, and as many bytes of JSON."""
    length = int.from_bytes(read_exactly(fd, 8), "big")
    return encode_json.parse(read_exactly(fd, length).decode("utf-8", "surrogatepass"))


def read_exactly(fd: int, length: int) -> bytes:
    data = bytearray()
    while len(data) < length:
        part = os.read(fd, min(length - len(data), 1 << 20))
        if not part:
            os._exit(1)  # The worker is gone.
        data += part
    return bytes(data)


def write_all(fd: int, data: bytes) -> None:
    while data:
        data = data[os.write(fd, data) :]
