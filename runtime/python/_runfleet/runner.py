"""Executes one run here: takes a request, writes frames, exits with 0 after a result, with 1 after an error."""

from __future__ import annotations

import atexit
import builtins
import os
import sys

from _runfleet import call_agent, load_part
from _runfleet.channel import channel, print_in_one_write, print_log, print_output, send, text_stream
from _runfleet.context import (
    Continued,
    Interrupted,
    context,
    fill_context,
    graph_checkpoints,
    offer_helper,
    starting_calls,
    waiting_calls,
)
from _runfleet.endings import ending_of, write_ending
from _runfleet.files import write_files
from _runfleet.stopping import begin, end, listen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any, NoReturn

CONTEXTS, CALLS = ("context", "ctx", "runfleet"), ("now", "uuid", "random", *waiting_calls, *starting_calls)
loaded_with: dict[str, str] = {}  # The variables that the module was loaded with. It may have changed them.


def run_agent(request: dict[str, Any], module: ModuleType | None) -> tuple[str, dict[str, Any]]:
    """Returns the last frame's type and fields. `module`: the agent's module, if it was loaded ahead."""
    try:
        for name, value in request["env"].items():
            if loaded_with.get(name) != value:
                os.environ[name] = value
        write_files(request["code"])
        write_files(request["files"])
        fill_context(context, request)
        if "rehearsal" not in request:
            graph_checkpoints.append(request.get("checkpoints") or [])
        begin()
        if is_durable(request, module):
            return run_durably(request, module)
        replies.close()
        result = call_agent.call_entrypoint(request["entrypoint"] or "", context, send, module)
        return "result", {"result_content": result}
    except BaseException as error:
        return ending_of(error)
    finally:
        end()


class Replies:
    """What the worker answers by. `uses_steps`: whether the module that was loaded ahead may use steps."""

    fd = -1
    uses_steps = False

    def close(self) -> None:
        """An agent without steps gets no answers, and finds no descriptor of ours."""
        if self.fd >= 0:
            os.close(self.fd)
            self.fd = -1


replies = Replies()
CALL_WORDS = tuple(f"{name}.{call}(" for name in CONTEXTS for call in CALLS)
STEP_WORDS = (".step", "@step", "step(", "run_agent(", "start_agent(", *CALL_WORDS)


def uses_steps(files: dict[str, str]) -> bool:
    """Returns whether code may use steps. Branches must be followed from its first line on then."""
    said = any(word in text for text in files.values() for word in STEP_WORDS)
    return said or any(map(imports_calls, files.values()))


def imports_calls(text: str) -> bool:
    """Returns whether code has `from runfleet import sleep`, or the like."""
    for part in text.split("from runfleet import ")[1:]:
        named = part[1:].partition(")")[0] if part.startswith("(") else part.partition("\n")[0]
        if any(name.split(" as ")[0].strip() in CALLS for name in named.split(",")):
            return True
    return False


def is_durable(request: dict[str, Any], module: ModuleType | None) -> bool:
    if request.get("journal") or replies.uses_steps:
        return True
    return module is None and uses_steps({**request["code"], **request["files"]})


def run_durably(request: dict[str, Any], module: ModuleType | None) -> tuple[str, dict[str, Any]]:
    steps = load_part("steps")
    steps.begin_run(request["run_id"], replies.fd, request.get("journal"), request.get("rehearsal"))
    try:
        result = call_agent.call_entrypoint(request["entrypoint"] or "", context, send, module)
    except Continued:
        steps.end_run()
        raise
    except Interrupted:
        steps.end_under_way()
        raise
    steps.end_run()
    return "result", {"result_content": result}


# One thread each: libraries of numpy's kind would start one a CPU when they are imported, and a process with threads
# can't be forked for each run. An agent's own env may say otherwise.
THREAD_COUNTS = (
    *("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS"),
    *(
        "NUMEXPR_NUM_THREADS",
        "NUMEXPR_MAX_THREADS",
        "VECLIB_MAXIMUM_THREADS",
        "RAYON_NUM_THREADS",
        "POLARS_MAX_THREADS",
    ),
)


def enter_environment(venv: str | None, packages: str | None) -> None:
    """Enters a virtual environment: Python's own modules and the agent's packages, not the machine's.

    `venv`: a folder that makes children of `sys.executable` the same. `site` isn't used: it runs code of .pth files.
    """
    if packages:
        sys.path.append(packages)
        os.environ["RUNFLEET_PACKAGES"] = packages
    if venv:
        sys.prefix = sys.exec_prefix = os.environ["VIRTUAL_ENV"] = venv
        sys.executable = os.path.join(venv, "bin", "python3")
        os.environ["PATH"] = os.path.join(venv, "bin") + os.pathsep + os.environ.get("PATH", os.defpath)
    for name in THREAD_COUNTS:
        os.environ[name] = "1"


def become_runner(venv: str | None, packages: str | None) -> None:
    """Sets up what every agent expects: import paths, streams that are sent as frames, `exit`, and `runfleet`."""
    import _sitebuiltins
    import faulthandler

    os.set_inheritable(channel.fd, False)
    sys.dont_write_bytecode = True
    enter_environment(venv, packages)
    sys.stdout, sys.stderr = text_stream(1, print_output), text_stream(2, print_log)
    builtins.print = print_in_one_write
    faulthandler.enable(2)
    listen()
    builtins.exit = builtins.quit = _sitebuiltins.Quitter("exit", "Ctrl-D")
    offer_helper()


def run_to_exit(request: dict[str, Any], module: ModuleType | None = None) -> NoReturn:
    """Executes a run and ends the process."""
    runner = os.getpid()
    last = run_agent(request, module)
    if os.getpid() != runner:
        os._exit(1 if last[0] == "error" else 0)  # The agent forked, and the child returned.
    ended_well = False
    try:
        atexit._run_exitfuncs()
        ended_well = write_ending(*last)
    finally:
        os._exit(0 if ended_well else 1)
