"""Runs one agent in this process: takes a request, writes frames, exits 0 with a result and 1 without."""

from __future__ import annotations

import atexit
import builtins
import os
import sys

from _runfleet import call_agent
from _runfleet.channel import channel, print_log, print_output, print_whole, send, text_stream
from _runfleet.context import context, fill_context, offer_helper
from _runfleet.endings import end_by, write_ending
from _runfleet.files import write_files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any, NoReturn

loaded_with: dict[str, str] = {}  # The variables that the module was loaded with: what the module made of them stays.


def run_agent(request: dict[str, Any], module: ModuleType | None) -> tuple[str, dict[str, Any]]:
    """Returns the last frame's type and fields. `module` is the agent's, where it is loaded already."""
    try:
        for name, value in request["env"].items():
            if loaded_with.get(name) != value:
                os.environ[name] = value
        write_files(request["code"])
        write_files(request["files"])
        fill_context(context, request)
        result = call_agent.call_entrypoint(request["entrypoint"], context, send, module)
        return "result", {"result_content": result}
    except BaseException as error:
        return end_by(error)


def become_runner(site_path: list[str], packages: str | None) -> None:
    """What every agent finds: its imports, streams that are frames, and no trace of how it was started."""
    import _sitebuiltins
    import faulthandler

    os.set_inheritable(channel.fd, False)
    sys.dont_write_bytecode = True
    # The agent's own packages before the machine's. No `site`: a package's .pth files would run their code here.
    sys.path += [packages, *site_path] if packages else site_path
    sys.stdout, sys.stderr = text_stream(1, print_output), text_stream(2, print_log)
    builtins.print = print_whole
    faulthandler.enable(2)
    builtins.exit = builtins.quit = _sitebuiltins.Quitter("exit", "Ctrl-D")
    offer_helper()


def run_to_exit(request: dict[str, Any], module: ModuleType | None = None) -> NoReturn:
    """The whole of a run. Never returns."""
    runner = os.getpid()
    last = run_agent(request, module)
    if os.getpid() != runner:
        os._exit(1 if last[0] == "error" else 0)  # A fork of the agent's that came back here.
    ended_well = False
    try:
        atexit._run_exitfuncs()
        ended_well = write_ending(*last)
    finally:
        os._exit(0 if ended_well else 1)
