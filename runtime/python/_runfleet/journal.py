"""The journal of a durable run, as the run's process sees it: what earlier attempts kept, and how more is kept.

The worker sends all entries with the request. A result goes to the worker as a frame, and the code goes on when the
worker has answered that the entry is committed.
"""

# pyright: reportPrivateUsage=false

from __future__ import annotations

import _thread
import os
import select
import time

from _runfleet import branches, channel, encode_json, load_part, step_values
from _runfleet.branches import Branch, current, lock
from _runfleet.channel import PromptText, write_frame
from _runfleet.stopping import raise_if_asked

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

MOST_ENTRIES = 10_000
MOST_BYTES = 64 << 20
NOTICE_AT = 0.8
NAME_CHARS = 128
LOOK_S = 0.1
REPORTS = {"state", "usage"}
OWNED = {"output", "log", "progress", "tool.start", "tool.end", "artifact", "custom"}


class Nondeterminism(BaseException):
    """The code made another durable call than in an earlier attempt. No Exception, so that no agent catches it."""

    runfleet_code = "nondeterminism"


class Slot:
    """A call that waits for its entry. A thread waits by the lock, asyncio's code by `hand`.

    `takes`: the entry takes signals or messages.
    """

    __slots__ = ("deadline", "entry", "hand", "is_durable", "key", "leads", "lock", "takes")

    def __init__(self, key: str, hand: Callable[[dict[str, Any]], None] | None, is_durable: bool, takes: bool) -> None:
        self.key, self.hand, self.is_durable, self.takes = key, hand, is_durable, takes
        self.deadline: float | None = None  # By the monotonic clock: it is waited for no longer.
        self.entry: dict[str, Any] | None = None
        self.leads = False
        self.lock: Any = None
        if hand is None:
            self.lock = _thread.allocate_lock()
            self.lock.acquire()

    def is_open(self) -> bool:
        return self.entry is None and (self.deadline is None or time.monotonic() < self.deadline)


class Journal:
    """`entries`: by key. `order`: their keys, as they were committed. `shape`: (branch, position) → entry."""

    def __init__(self) -> None:
        self.run_id = ""
        self.pid = 0
        self.directory = ""  # The run's, wherever its code goes.
        self.count = 0  # Of all entries, failed tries included.
        self.active = False
        self.fd = -1
        self.unread = b""
        self.reading: Any = _thread.allocate_lock()
        self.entries: dict[str, dict[str, Any]] = {}
        self.order: list[str] = []
        self.shape: dict[tuple[str, int], dict[str, Any]] = {}
        self.tries: dict[str, tuple[int, float]] = {}
        self.settled: set[str] = set()
        self.sent: dict[str, dict[str, Any]] = {}
        self.used: set[str] = {""}
        self.copied: set[str] = set()  # Keys of entries of the run that is run again.
        self.slots: dict[str, Slot] = {}
        self.size = 0
        self.in_flight = 0
        self.is_noticed = False
        self.is_called = False  # Whether the code has made durable calls, beside questions.
        self.received = 0  # How many lines the worker has sent since the request.
        self.is_warm = False  # The process stays while the run waits.
        self.leg = ""  # Begins the keys of what is done since the run went on as a fresh one.
        self.is_asking = False  # The run ends with a question: no step is begun any more.
        self.continues = False  # Whether the run goes on as a fresh one now.
        self.durable: set[str] = set()  # The keys of waits that are open.
        self.retries: dict[str, float] = {}  # Steps that wait for their next try: when it begins, in ms since 1970.
        self.blocked: dict[int, Slot] = {}  # By thread: the durable wait that it is in.
        self.futures: dict[Any, list[str]] = {}  # Those of steps and waits, for asyncio's code: their keys.
        # Of those that take the first of several: the futures, how many are needed, and what has ended well.
        self.firsts: dict[Any, tuple[tuple[Any, ...], int, list[Any]]] = {}
        self.groups: dict[str, list[str]] = {}  # By the key of a call: those of the waits that it needs all of.
        self.leader: Slot | None = None
        self.waiting: list[Slot] = []
        self.loop: Any = None
        self.arrived: Callable[[str], None] = lambda key: None  # Called by the thread that reads, for asyncio's code.
        self.broken: Nondeterminism | None = None
        self.rehearsal: Any = None  # On an author's machine only.

    def begin(self, run_id: str, kept: dict[str, Any] | None) -> None:
        """`kept`: what the worker sent of earlier attempts."""
        self.active, self.run_id, self.pid, self.directory = True, run_id, os.getpid(), os.getcwd()
        for entry in kept["entries"] if kept else ():
            self.add(entry)
            if entry.get("copied"):
                self.copied.add(entry["key"])
        if kept:
            self.is_called = bool(kept["waits"] or kept["tries"]) or any(
                entry["kind"] != "question" for entry in kept["entries"]
            )
            self.settled, self.count, self.leg = set(kept["segments"]), kept["count"], kept.get("leg", "")
            self.tries = {key: (number, at) for key, number, at in kept["tries"]}
            for branch, position, name in kept["waits"]:
                self.shape[branch, position] = {"name": name, "key": ""}
        current.set(Branch(f"main{self.leg}"))
        branches.ended.append(self.end_branch)
        branches.follow_threads()
        branches.follow_imported()
        channel.channel.write = write_owned
        PromptText.write, PromptText.flush = write_text, flush_text

    def add(self, entry: dict[str, Any]) -> None:
        key = entry["key"]
        self.entries[key] = entry
        self.order.append(key)
        self.shape[entry["branch"], entry["position"]] = entry
        self.size += len(entry.get("result") or "") + len(entry.get("files") or "") + len(str(entry.get("error") or ""))

    def place(self, kind: str, name: str, key: Any) -> dict[str, Any]:
        """Begins a durable call. Returns the fields of frames that tell its place.

        `closes`: the segments that it closes. `after`: some failed calls that the branch has heard of.
        """
        branch = current.get()
        if branch is None:
            raise step_values.DurableError(
                f"{kind} {name!r} was called by a thread or task that Runfleet doesn't know; "
                "start it by threading, concurrent.futures or asyncio"
            )
        refuse_in_step(f"{kind} {name!r}")
        if self.broken:
            raise self.broken
        if os.getpid() != self.pid:
            raise step_values.DurableError(f"{kind} {name!r} was called in a child process of the run's")
        channel.flush()
        check_text(name, "name")
        with lock:
            self.is_called = self.is_called or kind != "question"
            closes = [branch.segment] if branch.said else []
            fields: dict[str, Any] = {"name": name, "branch": branch.path, "position": branch.position}
            if key is not None:
                place = f"{self.leg}={name}:{check_text(str(key), 'key')}"
            else:
                count = branch.uses[name] = branch.uses.get(name, 0) + 1
                place = f"{branch.path}/{name}#{count}"
            if place in self.used:
                raise step_values.DuplicateKey(f"{kind} {name!r} with key={key!r} was called twice in this run")
            if self.rehearsal is not None:
                self.rehearsal.placed(kind, name, place, branch)
            self.check_shape(kind, name, branch, place)
            if place not in self.entries:
                self.check_room(name)
            self.used.add(place)
            branch.position += 1
            branch.said = False
            fields["after"] = list(branch.failures)
        return {"key": place, **fields, "closes": closes}

    def check_shape(self, kind: str, name: str, branch: Branch, place: str) -> None:
        entry = self.shape.get((branch.path, branch.position))
        if entry is None or entry["name"] == name:
            return
        known = entry["name"]
        if entry["key"] in self.copied:
            self.diverge(place, name, known)
            return
        self.broken = Nondeterminism(
            f"Durable call {branch.position + 1} of branch '{branch.path}' was {known!r} in an earlier attempt and is "
            f"{kind} {name!r} now. Code between durable calls must not depend on time, chance, the environment or the "
            "order of a set: take those from context.now(), random(), uuid() or a step."
        )
        raise self.broken

    def diverge(self, key: str, name: str, before: str) -> None:
        """Goes on without what is left of the run that is run again. The caller holds the lock."""
        drops = [known for known in self.copied if known == key or known not in self.used]
        for known in drops:
            entry = self.entries.pop(known, None)
            if entry is not None:
                self.shape.pop((entry["branch"], entry["position"]), None)
            self.tries.pop(known, None)
        # A place of its own for each: whoever hands out the entries counts them.
        self.order = [known if known in self.entries else "" for known in self.order]
        self.copied.clear()
        write_frame("replay.diverged", key=key, name=name, before=before, drops=drops)

    def check_room(self, name: str) -> None:
        full = max(self.count / MOST_ENTRIES, self.size / MOST_BYTES)
        if full >= 1:
            raise step_values.JournalFull(
                f"Step {name!r} was not begun: the run's journal has {self.count} entries and {self.size} bytes; "
                f"it may have {MOST_ENTRIES} entries and {MOST_BYTES} bytes"
            )
        if full >= NOTICE_AT and not self.is_noticed:
            self.is_noticed = True
            say_log(f"The run's journal is {round(full * 100)} % full: {self.count} entries, {self.size} bytes.")

    def end_branch(self, branch: Branch) -> None:
        if branch.said:
            closes, branch.said = [branch.segment], False
            write_frame("segment.end", closes=closes)

    def ask(
        self,
        key: str,
        hand: Callable[[dict[str, Any]], None] | None = None,
        is_durable: bool = False,
        takes: bool = False,
    ) -> Slot:
        with lock:
            slot = self.slots[key] = Slot(key, hand, is_durable, takes)
            if is_durable:
                self.durable.add(key)
        return slot

    def give_up(self, key: str) -> bool:
        """Forgets what waits for an entry. Returns false when an earlier attempt has given it up."""
        with lock:
            self.slots.pop(key, None)
            self.durable.discard(key)
            known = self.entries.get(key)
            if known is None:
                return True
            is_new = known["kind"] != "abandoned"
            known["kind"] = "abandoned"
            return is_new

    def give_up_left(self, slots: list[Slot]) -> None:
        """The agent's function has returned: what still waits takes no signal and no message any more.

        Where the run goes on as a fresh one, its waits end, and with them the runs that it waits for.
        """
        for slot in slots:
            is_over = slot.takes or (self.continues and slot.key in self.durable)
            if is_over and self.give_up(slot.key):
                write_frame("wait.abandon", key=slot.key)

    def send(self, fields: dict[str, Any]) -> None:
        """Sends an entry to be committed. The answer names its key only."""
        with lock:
            self.sent[fields["key"]] = fields
            self.count += 1
        write_frame("step.end", **fields)

    def take(self, answer: dict[str, Any]) -> None:
        """Takes an answer of the worker: `kept`, or a whole entry that somebody else made."""
        if answer["type"] == "leave":
            load_part("idle").leave()
        key = answer["key"]
        with lock:
            self.durable.discard(key)
            if key in self.entries or (answer["type"] == "kept" and key not in self.sent):
                return  # Known, or kept by the worker itself for a try that ran over its time: the process ends.
            self.add(self.sent.pop(key) if answer["type"] == "kept" else answer["entry"])
            self.entries[key].pop("files", None)  # They are there.
            slot = self.slots.get(key)
            if slot is not None and slot.hand is None:
                del self.slots[key]
                slot.entry = self.entries[key]
                wake(slot)
            else:
                self.arrived(key)

    def is_readable(self, seconds: float) -> bool:
        """Waits so long for something from the worker. Returns whether it has come."""
        poll = select.poll()
        poll.register(self.fd, select.POLLIN)
        return bool(poll.poll(seconds * 1000))

    def read(self) -> None:
        """Reads what has come from the worker, if nobody else has: a loop and a thread may be told of the same line."""
        with self.reading:
            if not self.is_readable(0):
                return
            data = os.read(self.fd, 1 << 16)
            if not data:
                os._exit(1)  # The worker is gone.
            *lines, self.unread = (self.unread + data).split(b"\n")
            for line in lines:
                self.received += 1
                self.take(encode_json.parse(line.decode("utf-8", "surrogatepass")))

    def wait(self, slot: Slot) -> dict[str, Any]:
        """Waits for a slot's entry in this thread. One of the waiting threads reads for all, unless a loop reads."""
        if slot.is_durable:
            self.blocked[_thread.get_ident()] = slot
        try:
            return self.wait_reading(slot)
        finally:
            self.blocked.pop(_thread.get_ident(), None)

    def wait_reading(self, slot: Slot) -> dict[str, Any]:
        while slot.is_open():
            with lock:
                leads = slot.leads or (self.leader is None and not self.is_read_by_loop())
                slot.leads = False
                if leads:
                    self.leader = slot
                elif slot.entry is None and slot not in self.waiting:
                    self.waiting.append(slot)
            if leads:
                try:
                    if slot.is_durable:
                        load_part("idle").block(slot)
                    # A loop may begin to read meanwhile.
                    while slot.is_open() and not self.is_read_by_loop():
                        if self.is_readable(LOOK_S):
                            self.read()
                finally:
                    self.hand_over()
            else:
                # A loop that reads may be closed meanwhile.
                left = -1 if slot.deadline is None else max(0.0, slot.deadline - time.monotonic())
                slot.lock.acquire(True, LOOK_S if self.is_read_by_loop() else left)
        if slot.entry is None:
            self.stop_waiting(slot)
        return slot.entry or {}

    def stop_waiting(self, slot: Slot) -> None:
        with lock:
            self.waiting = [other for other in self.waiting if other is not slot]
            if slot.leads:
                self.hand_over()

    def hand_over(self) -> None:
        with lock:
            self.leader = None
            self.waiting = [slot for slot in self.waiting if slot.entry is None]
            if self.is_read_by_loop():
                while self.waiting:
                    wake(self.waiting.pop())  # From now on each looks by itself whether the loop still reads.
            elif self.waiting:
                slot = self.waiting.pop()
                self.leader, slot.leads = slot, True
                wake(slot)

    def is_read_by_loop(self) -> bool:
        return self.loop is not None and not self.loop.is_closed()


def failures_of_call(call: Any, entry: dict[str, Any]) -> tuple[str, ...]:
    """Returns the key of a call that has failed. A wait that has run out has not, nor what was given up."""
    return (call.key,) if call.fails and not entry["ok"] and entry["kind"] != "abandoned" else ()


def look_at(call: Any, entry: dict[str, Any]) -> Any:
    """Returns what a call has ended with."""
    branches.hear(failures_of_call(call, entry))
    return call.unwrap(entry)


def wake(slot: Slot) -> None:
    """The caller holds the lock. A slot that was woken already may get its entry before its thread has noticed."""
    if slot.lock.locked():
        slot.lock.release()


journal = Journal()
write_plain = channel.channel.write
write_text_plain, flush_text_plain = PromptText.write, PromptText.flush


def write_owned(type_: str, fields: dict[str, Any]) -> bool:
    """Writes a frame with its segment. What a segment says that settled in an earlier attempt is not said again."""
    branch = current.get() if type_ in OWNED or type_ in REPORTS else None
    if branch is not None and type_ in REPORTS:
        # A report that is too long to be written is too long for the step's entry, too.
        if is_written := write_plain(type_, fields):
            note_report(branch, type_, fields)
        return is_written
    if branch is None:
        return write_plain(type_, fields)
    with lock:
        if branch.step is not None and branch.step.is_over:
            return True  # A try that is over says nothing more.
        branch.said = True
        if branch.segment in journal.settled:
            return True
        return write_plain(type_, {**fields, "segment": branch.segment})


def write_unowned(type_: str, fields: dict[str, Any]) -> None:
    """Writes a frame of no segment. Raises when the run was asked to end meanwhile."""
    write_plain(type_, fields)
    raise_if_asked()


def note_report(branch: Branch, type_: str, fields: dict[str, Any]) -> None:
    """Notes what a step reports: it is reported again on each attempt that comes to the step."""
    if branch.step is None:
        return
    reports = branch.step.reports
    reports[type_] = fields["state_snapshot"] if type_ == "state" else {**reports.get(type_, {}), **fields}


def report_again(entry: dict[str, Any]) -> None:
    if "state" in entry:
        write_unowned("state", {"state_snapshot": entry["state"]})
    if "usage" in entry:
        write_unowned("usage", entry["usage"])


writers: dict[int, Any] = {}  # The branch that has written to a stream last, by the stream's id.


def write_text(self: PromptText, text: str) -> int:
    """Keeps what two branches print apart."""
    branch = current.get()
    if writers.get(id(self)) is not branch:
        self.flush()
        writers[id(self)] = branch
    return write_text_plain(self, text)


def flush_text(self: PromptText) -> None:
    """Sends what is left as words of the branch that has written them."""
    token = current.set(writers.get(id(self)))
    try:
        flush_text_plain(self)
    finally:
        current.reset(token)


def say_log(message: str) -> None:
    write_unowned("log", {"level": "warn", "stream": "agent", "message": message})


def refuse_in_step(what: str) -> None:
    branch = current.get()
    if branch is not None and branch.step is not None:
        raise step_values.DurableCallInStep(
            f"{what} was called inside of step {branch.step.name!r}. A step is one unit: "
            f"make {branch.step.name!r} a plain function, whose steps are kept one by one, "
            f"or call the plain function (a decorated one's `.fn`) here"
        )


def check_text(text: Any, what: str) -> str:
    if not isinstance(text, str) or not 0 < len(text) <= NAME_CHARS:
        raise ValueError(f"A step's {what} is a text of 1 to {NAME_CHARS} characters, not {text!r:.200}.")
    if encode_json.without_surrogates(text) != text:
        raise ValueError(f"A step's {what} has no lone surrogates, as {text!r:.200} has. Escape them by ascii().")
    return text
