# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false, reportUnknownVariableType=false

from __future__ import annotations

import asyncio
import pickle
import sys
from collections.abc import AsyncIterator, Iterator
from types import ModuleType
from typing import Any, NamedTuple

from _runfleet import load_part
from _runfleet.context import Context, Interrupted, asked, graph_checkpoints
from _runfleet.graphs import stream_graph, stream_runnable
from support import RuntimeTest

NO_TASK = "00000000-0000-0000-0000-000000000000"


class Message:
    """What LangChain's messages have for a stream's reader."""

    def __init__(self, type: str, content: Any = "", **more: Any) -> None:
        self.type, self.content, self.id = type, content, more.pop("id", None)
        self.usage_metadata = more.pop("usage", None)
        for name, value in more.items():
            setattr(self, name, value)

    def __add__(self, other: Message) -> Message:
        return Message(self.type, self.content + other.content, id=self.id)


class Command:
    def __init__(self, resume: Any) -> None:
        self.resume = resume


class Interrupt:
    def __init__(self, value: Any, id: str) -> None:
        self.value, self.id = value, id


class Saver: ...


class CheckpointTuple(NamedTuple):
    """As langgraph.checkpoint.base has it."""

    config: Any
    checkpoint: Any
    metadata: Any
    parent_config: Any = None
    pending_writes: Any = None


class Serde:
    def dumps_typed(self, value: Any) -> tuple[str, bytes]:
        return "pickle", pickle.dumps(value)

    def loads_typed(self, data: tuple[str, bytes]) -> Any:
        return pickle.loads(data[1])


class BaseCheckpointSaver:
    serde = Serde()


class Graph:
    """A graph that calls a tool, and asks as many questions at once as `at_once` says, `rounds` times."""

    channels: tuple[Any, ...] = ()
    checkpointer: Any = None
    nodes: dict[str, Any] = {}  # noqa: RUF012

    def __init__(self, rounds: int = 0, at_once: int = 1) -> None:
        self.rounds, self.at_once = rounds, at_once
        self.given: list[Any] = []

    def stream(self, input: Any, config: Any, stream_mode: Any) -> Iterator[tuple[str, Any]]:
        self.given.append(input)
        done = sum(isinstance(one, Command) for one in self.given)
        if done < self.rounds:
            questions = tuple(Interrupt(f"question {done}.{n}", f"id{n}") for n in range(self.at_once))
            yield "updates", {"__interrupt__": questions}
            yield "values", {"asked": done, "__interrupt__": questions}
            return
        call = {"id": "c1", "name": "weather", "args": {"city": "Rome"}}
        usage = {"input_tokens": 5, "output_tokens": 4}
        yield "messages", (Message("AIMessageChunk", "", id="m1", usage=usage), {})
        yield "updates", {"agent": {"messages": [Message("ai", "", tool_calls=[call])]}}
        yield "messages", (Message("tool", "sunny in Rome", tool_call_id="c1"), {})
        yield (
            "updates",
            {"tools": {"messages": [Message("tool", "sunny in Rome", tool_call_id="c1", status="success")]}},
        )
        blocks = [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "It is "}]
        yield "messages", (Message("AIMessageChunk", blocks, id="m2"), {})
        yield (
            "messages",
            (Message("AIMessageChunk", "sunny", id="m2", usage={"input_tokens": 7, "output_tokens": 2}), {}),
        )
        yield "values", {"messages": ["the last state"]}


class Waiting(Graph):
    """Its newest checkpoint waits for the answer to its second question."""

    def get_state(self, config: Any) -> Any:
        task, state = ModuleType("task"), ModuleType("state")
        vars(task)["interrupts"] = [Interrupt("question 1.0", "id")]
        vars(state)["tasks"] = (task,)
        return state


class AsyncGraph(Graph):
    async def astream(self, input: Any, config: Any, stream_mode: Any) -> AsyncIterator[tuple[str, Any]]:
        for part in Graph.stream(self, input, config, stream_mode):
            yield part

    async def aget_state(self, config: Any) -> Any:
        return None


class CoroutineNode:
    class bound:  # As LangGraph names it.
        func = None
        afunc = print


class Graphs(RuntimeTest):
    def setUp(self) -> None:
        super().setUp()
        types, base = ModuleType("langgraph.types"), ModuleType("langgraph.checkpoint.base")
        vars(types)["Command"] = Command
        vars(base).update(BaseCheckpointSaver=BaseCheckpointSaver, CheckpointTuple=CheckpointTuple)
        modules = {name: ModuleType(name) for name in ("langgraph", "langgraph.checkpoint")}
        modules.update({"langgraph.types": types, "langgraph.checkpoint.base": base})
        for name, module in modules.items():
            sys.modules[name] = module
            self.addCleanup(sys.modules.pop, name)
        self.addCleanup(sys.modules.pop, "_runfleet.checkpoints", None)
        self.addCleanup(graph_checkpoints.clear)
        self.sent: list[tuple[str, dict[str, Any]]] = []
        asked.clear()

    def send(self, type_: str, **fields: Any) -> None:
        self.sent.append((type_, fields))

    def of(self, type_: str) -> list[dict[str, Any]]:
        return [fields for sent, fields in self.sent if sent == type_]

    def context(self, *answers: Any) -> Context:
        asked.clear()
        return Context(input={"q": 1}, answers=list(answers), run_id="run", thread_id=None, attempt=1)

    def test_tools_and_usage(self) -> None:
        """Only what the model says is output; its tools are events, and its tokens count once."""
        self.assertEqual(stream_graph(Graph(), {}, self.context(), self.send), {"messages": ["the last state"]})
        self.assertEqual([fields["content"] for fields in self.of("output")], ["It is ", "sunny"])
        self.assertEqual(self.of("tool.start"), [{"call_id": "c1", "name": "weather", "args": {"city": "Rome"}}])
        self.assertEqual(self.of("tool.end"), [{"call_id": "c1", "result": "sunny in Rome", "error": None}])
        self.assertEqual(self.of("usage")[-1], {"input_tokens": 12, "output_tokens": 6})

    def test_questions(self) -> None:
        """A graph's question is the run's; with its answers a run is executed anew, up to the next question."""
        with self.assertRaises(Interrupted) as raised:
            stream_graph(Graph(rounds=2), {}, self.context(), self.send)
        self.assertEqual(raised.exception.question["message"], "question 0.0")
        graph = Graph(rounds=2)
        with self.assertRaises(Interrupted) as raised:
            stream_graph(graph, {}, self.context("yes"), self.send)
        self.assertEqual(raised.exception.question["message"], "question 1.0")
        graph = Graph(rounds=2)
        stream_graph(graph, {"q": 1}, self.context("yes", "very"), self.send)
        self.assertEqual([getattr(given, "resume", given) for given in graph.given], [{"q": 1}, "yes", "very"])

    def test_questions_at_once(self) -> None:
        """Questions of parallel nodes are asked one by one, and answered together."""
        with self.assertRaises(Interrupted) as raised:
            stream_graph(Graph(rounds=1, at_once=2), {}, self.context("a"), self.send)
        self.assertEqual(raised.exception.question["message"], "question 0.1")
        graph = Graph(rounds=1, at_once=2)
        stream_graph(graph, {}, self.context("a", "b"), self.send)
        self.assertEqual(graph.given[-1].resume, {"id0": "a", "id1": "b"})

    def test_own_checkpoints(self) -> None:
        """A graph whose checkpoint waits for the answer goes on there."""

        class Kept(Waiting):
            checkpointer = Saver()

        graph = Kept()
        stream_graph(graph, {}, self.context("yes", "very"), self.send)
        self.assertEqual([given.resume for given in graph.given], ["very"])

    def test_checkpoints(self) -> None:
        """What the worker has kept is there for the run's next process: the newest checkpoint and its writes."""
        first = self.saver([])
        at = self.put(first, self.put(first, {"configurable": {"thread_id": "run"}}, "1"), "2")
        first.put_writes(at, [("said", "a"), ("more", {1})], "task")
        first.put_writes(at, [("said", "not again")], "task")
        inner = {"configurable": {"thread_id": "run", "checkpoint_ns": "node:task|inner:other"}}
        self.put(first, inner, "3")
        kept = self.kept()
        self.assertEqual([fields["checkpoint_id"] for fields in kept], ["2", "2", "2", "3"])
        second = self.saver([fields["content"] for fields in kept])
        found = second.get_tuple({"configurable": {"thread_id": "run"}})
        self.assertEqual(found.checkpoint["channel_values"], {"said": "2"})
        self.assertEqual(found.pending_writes, [("task", "said", "a"), ("task", "more", {1})])
        self.assertEqual(second.get_tuple(inner).checkpoint["id"], "3")
        # The step is over in which the subgraph ran.
        self.put(second, at, "4")
        self.assertEqual([fields["checkpoint_id"] for fields in self.kept(kept)], ["4"])
        self.assertIsNone(second.get_tuple(inner))
        self.assertEqual([one.checkpoint["id"] for one in second.list({"configurable": {"thread_id": "run"}})], ["4"])

    def test_answers_once(self) -> None:
        """An answer that a node has taken is neither given nor asked for again, and isn't the next question's."""
        first = self.saver([])
        at = self.put(first, {"configurable": {"thread_id": "run"}}, "1")
        asked.append(False)
        first.put_writes(at, [("__resume__", "yes")], NO_TASK)
        first.put_writes(at, [("__resume__", ["yes"])], "task")
        graph = Waiting(rounds=0)
        graph_checkpoints[:] = [[fields["content"] for fields in self.kept()]]
        stream_graph(graph, {"q": 1}, self.context("yes"), self.send)
        self.assertEqual(graph.given, [None])
        self.assertEqual(graph.checkpointer.get_tuple(at).pending_writes, [("task", "__resume__", ["yes"])])
        stream_graph(graph, {"q": 1}, self.context("yes", "second"), self.send)
        self.assertEqual(graph.given[1].resume, "second")

    def test_what_is_not_kept(self) -> None:
        """What can't be serialized is told once, and the graph goes on. Other threads' checkpoints aren't kept."""
        saver = self.saver([])
        at = self.put(saver, {"configurable": {"thread_id": "run"}}, "1")
        for _ in range(2):
            saver.put_writes(at, [("said", lambda: None)], "task")
        self.assertEqual([type_ for type_, _ in self.frames], ["checkpoint", "log"])
        self.assertIn("isn't kept", self.frames[1][1]["message"])
        saver.thread = "another"
        self.put(saver, at, "2")
        graph_checkpoints.clear()
        self.put(saver, {"configurable": {"thread_id": "another"}}, "1")
        self.assertEqual(len(self.frames), 2)

    def saver(self, contents: list[str]) -> Any:
        checkpoints = load_part("checkpoints")
        self.frames: list[tuple[str, dict[str, Any]]] = []
        checkpoints.write_frame = lambda type_, **fields: self.frames.append((type_, fields))  # type: ignore
        graph_checkpoints[:] = [contents]
        saver = checkpoints.Checkpoints("run")
        self.assertEqual(saver.load(), contents != [])
        return saver

    def put(self, saver: Any, config: Any, id: str) -> Any:
        checkpoint = {"id": id, "channel_values": {"said": id}, "channel_versions": {"said": 1}, "versions_seen": {}}
        return saver.put(config, checkpoint, {"step": 1}, {})

    def kept(self, before: Any = ()) -> list[dict[str, Any]]:
        """Keeps what was sent as the service does."""
        rows: list[dict[str, Any]] = list(before)
        for type_, fields in self.frames:
            self.assertEqual(type_, "checkpoint")
            namespace, id, drops = fields["namespace"], fields["checkpoint_id"], fields["drops"]
            for row in list(rows):
                is_before = row["namespace"] == namespace and row["checkpoint_id"] < id
                if row["namespace"] in drops or (fields["supersedes"] and is_before):
                    rows.remove(row)
            rows.append(fields)
        return rows

    def test_async(self) -> None:
        """A graph with a node that is only a coroutine function is streamed by its event loop."""
        graph = AsyncGraph()
        graph.nodes = {"agent": CoroutineNode}
        result = asyncio.run(stream_graph(graph, {}, self.context(), self.send))
        self.assertEqual(result, {"messages": ["the last state"]})

    def test_runnable(self) -> None:
        """A runnable's parts are output, and their sum is its result."""

        class Runnable:
            def __init__(self, *parts: Any) -> None:
                self.parts = parts

            def stream(self, input: Any, config: Any) -> Iterator[Any]:
                yield from self.parts

        chunks = [Message("AIMessageChunk", "a", id="m"), Message("AIMessageChunk", "b", id="m")]
        self.assertEqual(stream_runnable(Runnable(*chunks), {}, self.context(), self.send).content, "ab")
        self.assertEqual(stream_runnable(Runnable({"a": 1}, {"b": 2}), {}, self.context(), self.send), {"b": 2})
        self.assertEqual([fields["content"] for fields in self.of("output")], ["a", "b", {"a": 1}, {"b": 2}])
