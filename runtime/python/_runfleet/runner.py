"""Executes one run here: takes a request, writes frames, exits with 0 after a result, with 1 after an error."""

from __future__ import annotations

import atexit
import builtins
import os
import sys

from _runfleet import call_agent
from _runfleet.channel import channel, print_in_one_write, print_log, print_output, send, text_stream
from _runfleet.context import context, fill_context, offer_helper
from _runfleet.endings import ending_of, write_ending
from _runfleet.files import write_files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any, NoReturn

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
        result = call_agent.call_entrypoint(request["entrypoint"], context, send, module)
        return "result", {"result_content": result}
    except BaseException as error:
        return ending_of(error)


def become_runner(site_path: list[str], packages: str | None) -> None:
    """Sets up what every agent expects: import paths, streams that are sent as frames, `exit`, and `runfleet`."""
    import _sitebuiltins
    import faulthandler

    os.set_inheritable(channel.fd, False)
    sys.dont_write_bytecode = True
    # The agent's own packages come before the machine's. `site` isn't used: it runs the code of .pth files.
    sys.path += [packages, *site_path] if packages else site_path
    sys.stdout, sys.stderr = text_stream(1, print_output), text_stream(2, print_log)
    builtins.print = print_in_one_write
    faulthandler.enable(2)
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
