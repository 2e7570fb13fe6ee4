"""Tests of durable agents, on the machine of their author: steps are mocked, signals scripted, and waits take no time.

The command line `runfleet` executes the agent. `RUNFLEET_CLI` names it where it isn't on the path.
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Raises:
    """What a mocked step raises: an error by the name of its class."""

    type: str
    message: str = ""


class InOrder:
    """What a mocked step gives at its first call or try, at its second, and so on. The last one stays."""

    def __init__(self, *outcomes: Any) -> None:
        if not outcomes:
            raise ValueError("InOrder() needs at least one outcome.")
        self.outcomes = outcomes


@dataclass(frozen=True)
class Rehearsed:
    """What came of a run. `waiting`: what it still waits for. `slept_ms`: the time that was skipped."""

    result: Any
    error: dict[str, Any] | None
    waiting: list[str]
    question: Any
    output: str
    steps: list[dict[str, Any]]
    events: list[dict[str, Any]]
    slept_ms: float
    attempts: int


class NotRehearsed(Exception):
    """The agent could not be executed: its folder, or what the test scripts, is not right."""


def run_agent(
    folder: str | os.PathLike[str],
    input: Any = None,
    *,
    agent: str | None = None,
    steps: Mapping[str, Any] | None = None,
    signals: Sequence[Mapping[str, Any]] = (),
    messages: Sequence[Mapping[str, Any]] = (),
    answers: Sequence[Any] = (),
    restarts: bool = False,
    timeout: float | None = 120,
) -> Rehearsed:
    """Runs the agent of a folder, or `agent` of the several that its langgraph.json describes.

    `steps`: what steps give instead of being done, by name: a value, Raises or InOrder. `signals`: {"name", "payload",
    "after_s"}, `messages`: {"payload", "after_s"}. `answers`: what people answer, in the order of the questions.
    `restarts`: the process is ended at each wait, as if its worker had died there.
    """
    script = {
        "input": {} if input is None else input,
        "steps": {name: outcomes_of(given) for name, given in (steps or {}).items()},
        "signals": [dict(signal) for signal in signals],
        "messages": [dict(message) for message in messages],
        "answers": list(answers),
        "restarts": restarts,
    }
    command = [*shlex.split(os.environ.get("RUNFLEET_CLI", "runfleet")), "test", os.fspath(folder), "-f", "-", "--json"]
    if agent is not None:
        command += ["--agent", agent]
    done = subprocess.run(
        command, input=json.dumps(script), capture_output=True, text=True, timeout=timeout, check=False
    )
    if not done.stdout.strip():
        raise NotRehearsed(done.stderr.strip())
    told = json.loads(done.stdout)
    return Rehearsed(**{name: told[name] for name in Rehearsed.__dataclass_fields__})


def outcomes_of(given: Any) -> list[dict[str, Any]]:
    if isinstance(given, InOrder):
        return [outcome for one in given.outcomes for outcome in outcomes_of(one)]
    if isinstance(given, Raises):
        return [{"error": {"type": given.type, "message": given.message}}]
    return [{"result": given}]
