"""Checkpoints of a LangGraph graph without a checkpointer of its own. The worker keeps them. Loaded for graphs only."""

# A graph's values are of any type, and LangGraph is a package of the agent's.
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
# pyright: reportMissingImports=false, reportUntypedBaseClass=false, reportUnknownParameterType=false

from __future__ import annotations

import _thread
import binascii
import sys

from _runfleet.channel import write_frame
from _runfleet.context import asked, graph_checkpoints
from _runfleet.encode_json import encode, parse
from langgraph.checkpoint.base import BaseCheckpointSaver, CheckpointTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator
    from typing import Any

# Where a checkpoint's special writes stand; the others are counted from 0.
PLACES = {"__error__": -1, "__scheduled__": -2, "__interrupt__": -3, "__resume__": -4}
NO_TASK = "00000000-0000-0000-0000-000000000000"  # What no task has written.
MOST_CHARACTERS = 8 << 20
MOST_DROPPED = 1_000
BEGINS_TASK = ":"  # What begins the id of a task in a namespace.


class Memory:
    """What a graph has reached. `saved`: by (thread, namespace). `writes`: by (thread, namespace, checkpoint's id).

    Of each namespace the newest checkpoint is there, and those before it where a channel is built of them.
    """

    def __init__(self) -> None:
        self.saved: dict[tuple[str, str], list[tuple[Any, Any, str | None]]] = {}
        self.writes: dict[tuple[str, str, str], dict[tuple[str, int], tuple[str, str, Any]]] = {}
        self.lock: Any = _thread.RLock()
        self.given = 0  # How many answers of the run the graph was given by then.
        self.is_told_why = False

    def add(self, at: tuple[str, str], made: tuple[Any, Any, str | None]) -> tuple[bool, list[str]]:
        """Returns whether the checkpoints before it are needless now, and which other namespaces are."""
        thread, namespace = at
        checkpoint, metadata, _ = made
        supersedes = "counters_since_delta_snapshot" not in metadata
        below = f"{namespace}|" if namespace else ""
        # The step is over in which these subgraphs ran. One without a task's id goes on in a later step.
        drops = [
            other
            for of, other in self.saved
            if of == thread and other != namespace and other.startswith(below) and BEGINS_TASK in other[len(below) :]
        ]

        def is_over(other: str, id: str) -> bool:
            return other in drops or (supersedes and other == namespace and id < checkpoint["id"])

        self.forget(thread, is_over)
        known = self.saved.setdefault(at, [])
        if all(one[0]["id"] != checkpoint["id"] for one in known):
            known.append(made)
        return supersedes, drops[:MOST_DROPPED]

    def forget(self, thread: str, is_over: Callable[[str, str], bool]) -> None:
        for key in [key for key in self.writes if key[0] == thread and is_over(key[1], key[2])]:
            del self.writes[key]
        for of, namespace in list(self.saved):
            left = [one for one in self.saved[of, namespace] if of != thread or not is_over(namespace, one[0]["id"])]
            if left:
                self.saved[of, namespace] = left
            else:
                del self.saved[of, namespace]

    def add_writes(self, at: tuple[str, str, str], task: str, writes: Any) -> None:
        known = self.writes.setdefault(at, {})
        for index, (channel, value) in enumerate(writes):
            place = PLACES.get(channel, index)
            if place < 0 or (task, place) not in known:
                known[task, place] = (task, channel, value)
            if channel == "__resume__" and task != NO_TASK:
                self.take_answer(at[0], at[1])

    def take_answer(self, thread: str, namespace: str) -> None:
        """An answer that a task has taken is not the next question's."""
        for (of, other, _), writes in self.writes.items():
            if of == thread and (other in ("", namespace) or namespace.startswith(f"{other}|")):
                writes.pop((NO_TASK, PLACES["__resume__"]), None)


class Checkpoints(BaseCheckpointSaver):
    """`thread`: the run's own. Code that runs the graph by itself has other threads."""

    def __init__(self, thread: str) -> None:
        super().__init__()
        self.thread, self.memory = thread, Memory()

    def load(self) -> bool:
        """Reads what earlier attempts have kept. Returns whether there was something."""
        for content in graph_checkpoints[0] if is_kept() else ():
            fields: dict[str, Any] = parse(content)
            namespace, id = fields["namespace"], fields["id"]
            self.memory.given = max(self.memory.given, fields["given"])
            if "saved" in fields:
                checkpoint, metadata = self.decode(fields["saved"])
                self.memory.add((self.thread, namespace), (checkpoint, metadata, fields["parent"]))
            else:
                writes = [(channel, self.decode(value)) for channel, value in fields["writes"]]
                self.memory.add_writes((self.thread, namespace, id), fields["task"], writes)
        return bool(self.memory.saved)

    def encode(self, value: Any) -> list[str]:
        kind, data = self.serde.dumps_typed(value)
        return [kind, binascii.b2a_base64(data, newline=False).decode()]

    def decode(self, encoded: list[str]) -> Any:
        return self.serde.loads_typed((encoded[0], binascii.a2b_base64(encoded[1])))

    def send(self, at: tuple[str, str], supersedes: bool, drops: list[str], make: Callable[[], dict[str, Any]]) -> None:
        namespace, id = at
        try:
            fields = {"namespace": namespace, "id": id, "given": len(asked), **make()}
            content = encode(fields).decode()
        except Exception as error:  # What can't be serialized is any type's own error.
            return self.tell_why_not(f"{type(error).__name__}: {error}")
        if len(content) > MOST_CHARACTERS or len(namespace) > 1_000:
            why = f"It has {len(content)} characters, and at most {MOST_CHARACTERS} are kept."
            return self.tell_why_not(why)
        more = {"supersedes": supersedes, "drops": drops}
        write_frame("checkpoint", namespace=namespace, checkpoint_id=id, content=content, **more)
        return None

    def tell_why_not(self, why: str) -> None:
        if self.memory.is_told_why:
            return
        self.memory.is_told_why = True
        message = f"A checkpoint of the graph isn't kept: {why:.500} "
        message += "If the run starts again, the graph goes on from an earlier one."
        write_frame("log", level="warn", stream="agent", message=message)

    def to_tuple(self, at: tuple[str, str], made: tuple[Any, Any, str | None]) -> Any:
        checkpoint, metadata, parent = made
        # Graphs change a checkpoint's own maps.
        copy = {**checkpoint, "versions_seen": {node: {**seen} for node, seen in checkpoint["versions_seen"].items()}}
        for name in ("channel_values", "channel_versions"):
            copy[name] = {**checkpoint[name]}
        writes = list(self.memory.writes.get((*at, checkpoint["id"]), {}).values())
        before = config_of(at, parent) if parent else None
        return CheckpointTuple(config_of(at, checkpoint["id"]), copy, metadata, before, writes)

    def get_tuple(self, config: Any) -> Any:
        at, id = place_of(config)
        with self.memory.lock:
            found = [one for one in self.memory.saved.get(at, ()) if id is None or one[0]["id"] == id]
            return self.to_tuple(at, found[-1]) if found else None

    def list(self, config: Any, *, filter: Any = None, before: Any = None, limit: int | None = None) -> Iterator[Any]:
        if config is None:
            return
        at, id = place_of(config)
        with self.memory.lock:
            found = [self.to_tuple(at, one) for one in reversed(self.memory.saved.get(at, []))]
        latest = before and place_of(before)[1]
        left = [
            one
            for one in found
            if (id is None or one.checkpoint["id"] == id)
            and (not latest or one.checkpoint["id"] < latest)
            and all(one.metadata.get(name) == value for name, value in (filter or {}).items())
        ]
        yield from left[:limit]

    def put(self, config: Any, checkpoint: Any, metadata: Any, new_versions: Any) -> Any:
        at, parent = place_of(config)
        made = {**checkpoint, "channel_values": {**checkpoint["channel_values"]}}
        with self.memory.lock:
            about = self.memory.add(at, (made, metadata, parent))
            if at[0] == self.thread and is_kept():

                def fields() -> dict[str, Any]:
                    return {"parent": parent, "saved": self.encode((made, metadata))}

                self.send((at[1], checkpoint["id"]), *about, fields)
        return config_of(at, checkpoint["id"])

    def put_writes(self, config: Any, writes: Any, task_id: str, task_path: str = "") -> None:
        at, id = place_of(config)
        with self.memory.lock:
            self.memory.add_writes((*at, id or ""), task_id, writes)
            if at[0] == self.thread and is_kept():

                def fields() -> dict[str, Any]:
                    return {"task": task_id, "writes": [[channel, self.encode(value)] for channel, value in writes]}

                self.send((at[1], id or ""), False, [], fields)

    def delete_thread(self, thread_id: str) -> None:
        with self.memory.lock:
            self.memory.forget(str(thread_id), lambda namespace, id: True)

    async def aget_tuple(self, config: Any) -> Any:
        return self.get_tuple(config)

    async def alist(
        self, config: Any, *, filter: Any = None, before: Any = None, limit: int | None = None
    ) -> AsyncIterator[Any]:
        for one in self.list(config, filter=filter, before=before, limit=limit):
            yield one

    async def aput(self, config: Any, checkpoint: Any, metadata: Any, new_versions: Any) -> Any:
        return self.put(config, checkpoint, metadata, new_versions)

    async def aput_writes(self, config: Any, writes: Any, task_id: str, task_path: str = "") -> None:
        self.put_writes(config, writes, task_id, task_path)

    async def adelete_thread(self, thread_id: str) -> None:
        self.delete_thread(thread_id)


def is_kept() -> bool:
    """Code with durable calls goes on by its journal."""
    steps: Any = sys.modules.get("_runfleet.journal")
    return bool(graph_checkpoints) and (steps is None or not steps.journal.is_called)


def place_of(config: Any) -> tuple[tuple[str, str], str | None]:
    given = config["configurable"]
    return (str(given["thread_id"]), given.get("checkpoint_ns", "")), given.get("checkpoint_id")


def config_of(at: tuple[str, str], id: str) -> dict[str, Any]:
    return {"configurable": {"thread_id": at[0], "checkpoint_ns": at[1], "checkpoint_id": id}}
