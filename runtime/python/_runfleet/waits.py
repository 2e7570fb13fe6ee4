"""Waits for what the service knows of. They outlive the process. Loaded for code that waits only."""

# What is waited for may be of any type.
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false

from __future__ import annotations

import re

from _runfleet import load_part, step_values
from _runfleet.branches import follow_imported, lock
from _runfleet.channel import write_frame
from _runfleet.context import Continued
from _runfleet.encode_json import encode, parse
from _runfleet.journal import journal, look_at, refuse_in_step
from _runfleet.steps import check_active, in_loop

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn

LONGEST_S = 10 * 365 * 86_400
MOST_NAMES = 16
INPUT_BYTES = 3 << 20
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:@-]{0,127}", re.ASCII)


class Wait:
    """One call that waits. `frame`: what opens the wait. `asked`: the names of signals; one text for one.

    `takes`: its end takes a signal or messages. `fails`: whether it can end as failed, beside running out.
    """

    fails = takes = False

    def __init__(self, type_: str, name: str, key: Any, asked: str | list[str] = "", **fields: Any) -> None:
        place = journal.place("wait", name, key)
        self.key = place["key"]
        self.asked, self.takes = asked, type_ == "messages.take" or fields.get("kind") == "signal"
        self.frame: dict[str, Any] = {"type_": type_, **place, **fields}

    def open(self) -> None:
        with lock:
            journal.count += 1
        write_frame(**self.frame)

    def unwrap(self, entry: dict[str, Any]) -> Any:
        if not entry["ok"]:
            raise step_values.rebuild(entry["error"])
        value = parse(entry.get("result") or "null")
        return value if isinstance(self.asked, str) else {"name": entry.get("signal"), "payload": value}


def begin(wait: Wait) -> Any:
    """Waits. In asyncio's code it returns a future."""
    if in_loop():
        return load_part("async_steps").begin_wait(wait)
    with lock:
        entry = journal.entries.get(wait.key)
        # One that an earlier attempt has given up never ends.
        is_known = entry is not None and entry["kind"] != "abandoned"
        slot = None if is_known else journal.ask(wait.key, is_durable=True, takes=wait.takes)
    if slot is None:
        return look_at(wait, journal.entries[wait.key])
    if entry is None:
        wait.open()
    if journal.is_read_by_loop():
        journal.loop.call_soon_threadsafe(load_part("idle").watch.plan)
    return look_at(wait, journal.wait(slot))


def begin_call() -> None:
    check_active("Waits")
    follow_imported()  # A script imports while it runs.


def check_seconds(seconds: Any, what: str) -> float:
    if isinstance(seconds, bool) or not isinstance(seconds, (int, float)) or not seconds == seconds:
        raise TypeError(f"{what} takes seconds as a number, not {seconds!r:.200}.")
    if seconds > LONGEST_S:
        raise ValueError(f"{what} takes at most {LONGEST_S} seconds, not {seconds!r:.200}.")
    return max(0.0, float(seconds))


def check_name(name: Any) -> str:
    if isinstance(name, str) and NAME.fullmatch(name):
        return name
    raise ValueError(f"A signal's name is 1 to 128 letters, digits or . _ : @ -, not {name!r:.200}.")


def sleep(seconds: float, *, key: Any = None) -> Any:
    """Waits so many seconds, also without a process."""
    begin_call()
    return begin(timer(key, seconds=check_seconds(seconds, "sleep()"), until=None))


def sleep_until(time: Any, *, key: Any = None) -> Any:
    """Waits until a time: an aware datetime, or seconds since 1970."""
    begin_call()
    if hasattr(time, "timestamp"):
        if time.tzinfo is None:
            raise ValueError("sleep_until() takes a datetime with a time zone, or seconds since 1970.")
        time = time.timestamp()
    if isinstance(time, bool) or not isinstance(time, (int, float)) or not abs(time) < 8.64e12:
        raise TypeError("sleep_until() takes a datetime with a time zone, or seconds since 1970.")
    return begin(timer(key, seconds=None, until=max(0.0, time * 1000)))


def timer(key: Any, **due: Any) -> Wait:
    return Wait("wait.open", "sleep", key, kind="timer", names=[], **due)


def wait_for(names: Any, *, timeout: float | None = None, key: Any = None) -> Any:
    """Waits for a signal, and returns what was sent with it. Of several names, the earliest signal's name and payload.

    Raises SignalTimeout when none came in so many seconds.
    """
    begin_call()
    asked = [check_name(name) for name in ([names] if isinstance(names, str) else list(names))]
    if not 0 < len(asked) <= MOST_NAMES:
        raise ValueError(f"wait_for() takes 1 to {MOST_NAMES} names of signals, not {len(asked)}.")
    seconds = None if timeout is None else check_seconds(timeout, "wait_for(timeout=…)")
    listed = " or ".join(f"'{name}'" for name in asked)
    late = step_values.describe_error(step_values.SignalTimeout(f"No signal {listed} came within {timeout} s."))
    fields = {"kind": "signal", "names": asked, "seconds": seconds, "until": None, "error": late}
    name = f"wait_for {','.join(asked)}"[:128]
    return begin(Wait("wait.open", name, key, names if isinstance(names, str) else asked, **fields))


def first(count: int, *waits: Any) -> Any:
    """Waits until so many of several waits have ended well, and returns what they ended as, in that order.

    The others are given up. Raises the error after which too few are left. For asyncio's code, whose waits are futures.
    """
    begin_call()
    if not in_loop():
        raise TypeError("first() takes the futures of asyncio's code. In plain code call wait_for() for each.")
    if type(count) is not int or not 0 < count <= len(waits):
        raise ValueError(f"first() takes a count from 1 to its number of waits, {len(waits)}, not {count!r:.200}.")
    return load_part("async_steps").begin_first(count, waits)


def signal_url(name: str, *, expires_in: float = 7 * 86_400, key: Any = None) -> Any:
    """Returns an address to which anybody who has it may POST a signal, for so many seconds.

    It is the same on every attempt.
    """
    begin_call()
    seconds = max(1.0, check_seconds(expires_in, "signal_url(expires_in=…)"))
    return begin(Wait("signal.url", "signal_url", key, signal=check_name(name), expires_in_s=seconds))


def new_messages(*, key: Any = None) -> Any:
    """Returns what was said to the run since it was asked last, the oldest first, without waiting for more."""
    begin_call()
    return begin(Wait("messages.take", "new_messages", key))


def steering() -> Any:
    """Returns what gives new messages to the model's next turn, for frameworks."""
    begin_call()
    return load_part("steering").Steering()


def continue_as(input: Any = None) -> NoReturn:
    """Ends the code here. The run goes on from the first line with another input and an empty journal."""
    begin_call()
    refuse_in_step("continue_as()")
    given = check_input(input, "continue_as()'s input")
    journal.continues = True
    raise Continued(given)


def check_input(given: Any, what: str) -> dict[str, Any]:
    if given is None:
        return {}
    if not isinstance(given, dict):
        raise TypeError(f"{what} is a dict, the fields of an agent's input, not {type(given).__name__}.")
    if len(encode(given)) > INPUT_BYTES:
        raise ValueError(f"{what} has at most {INPUT_BYTES} bytes.")
    return given


def keep_warm() -> None:
    """Keeps the process while the run waits: for what is dear to load and is needed again soon."""
    begin_call()
    journal.is_warm = True
