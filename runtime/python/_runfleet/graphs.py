"""Runs LangGraph graphs and LangChain runnables: tokens, tools, usage, questions to a person, and the final state."""

# An agent's objects are of any type.
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false, reportUnknownLambdaType=false

from __future__ import annotations

import sys

from _runfleet import load_part

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator
    from typing import Any

    from _runfleet.context import Context

    Send = Callable[..., None]

MODES = ["messages", "custom", "updates", "values"]
INTERRUPT = "__interrupt__"


class Teller:
    """Sends what a graph's stream says. `questions`: what the graph asked in the end. `last`: its newest state."""

    def __init__(self, send: Send) -> None:
        self.send = send
        self.last: Any = None
        self.questions: list[Any] = []
        self.totals = {"input_tokens": 0, "output_tokens": 0}
        self.counted: set[str] = set()
        self.called: set[str] = set()
        self.answered: set[str] = set()

    def tell(self, mode: str, part: Any) -> None:
        if mode == "messages":
            self.tell_message(part[0])
        elif mode == "custom":
            self.send("custom", name="custom", value=part)
        elif isinstance(part, dict) and INTERRUPT in part:
            self.questions = list(part[INTERRUPT])
            if mode == "values":
                self.last = {name: value for name, value in part.items() if name != INTERRUPT}
        elif mode == "values":
            self.last = part
        else:
            self.tell_tools(part)
            self.send("custom", name="update", value=part)

    def tell_message(self, message: Any) -> None:
        kind = str(getattr(message, "type", "ai")).lower()
        if not kind.startswith("ai"):
            return  # A tool's answer, or what somebody else said.
        self.count(message, kind)
        if text := text_of(getattr(message, "content", "")):
            self.send("output", content=text)

    def count(self, message: Any, kind: str) -> None:
        """Adds the tokens of a part of a message, or of a whole message that was not counted yet."""
        usage, id = getattr(message, "usage_metadata", None), getattr(message, "id", None)
        if not isinstance(usage, dict) or (kind == "ai" and id in self.counted):
            return
        if id is not None:
            self.counted.add(id)
        for name in self.totals:
            count = usage.get(name)
            self.totals[name] += count if isinstance(count, int) else 0
        self.send("usage", **self.totals)

    def tell_tools(self, update: Any) -> None:
        for message in messages_in(update):
            for tool_call in getattr(message, "tool_calls", None) or ():
                call_id = str(tool_call.get("id") or tool_call.get("name"))
                if call_id not in self.called:
                    self.called.add(call_id)
                    name, args = str(tool_call.get("name")), tool_call.get("args")
                    self.send("tool.start", call_id=call_id, name=name, args=args)
            call_id = getattr(message, "tool_call_id", None)
            if call_id is not None and call_id not in self.answered:
                self.answered.add(call_id)
                failed = getattr(message, "status", None) == "error"
                content = getattr(message, "content", None)
                self.send(
                    "tool.end",
                    call_id=str(call_id),
                    result=None if failed else content,
                    error=str(content) if failed else None,
                )


def messages_in(update: Any, depth: int = 3) -> Iterator[Any]:
    """Yields the messages of a graph's update: `{node: {"messages": [message]}}`, or those of another state."""
    if hasattr(update, "tool_calls") or hasattr(update, "tool_call_id"):
        yield update
    elif depth and isinstance(update, dict):
        for value in update.values():
            yield from messages_in(value, depth - 1)
    elif depth and isinstance(update, (list, tuple)):
        for value in update:
            yield from messages_in(value, depth - 1)


def text_of(content: Any) -> Any:
    """Returns a message's text. Content may be a list of blocks, of which those of type `text` are said."""
    if not isinstance(content, list):
        return content
    return "".join(
        block if isinstance(block, str) else str(block.get("text") or "")
        for block in content
        if isinstance(block, str) or (isinstance(block, dict) and block.get("type") in ("text", "text_delta"))
    )


def config_of(graph: Any, context: Context) -> dict[str, Any]:
    thread = graph.checkpointer.thread if is_ours(graph) else context.thread_id or context.run_id
    return {"configurable": {"thread_id": thread}}


def stream_graph(graph: Any, input: Any, context: Context, send: Send) -> Any:
    """Runs a LangGraph graph. What it asks by `interrupt()` the run asks; the graph goes on with `Command(resume=…)`.

    A run that starts again goes on at its graph's newest checkpoint.
    """
    if needs_async(graph):
        return stream_graph_async(graph, input, context, send)
    goes_on, teller = prepare(graph, context), Teller(send)
    config = config_of(graph, context)
    given = resume_pending(graph, graph.get_state(config), input, context) if goes_on else input
    while True:
        teller.questions = []
        for mode, part in graph.stream(given, config, stream_mode=MODES):
            teller.tell(mode, part)
        if not teller.questions:
            return teller.last
        given = answer(teller.questions, context)


async def stream_graph_async(graph: Any, input: Any, context: Context, send: Send) -> Any:
    goes_on, teller = prepare(graph, context), Teller(send)
    config = config_of(graph, context)
    given = resume_pending(graph, await graph.aget_state(config), input, context) if goes_on else input
    while True:
        teller.questions = []
        stream: AsyncIterator[Any] = graph.astream(given, config, stream_mode=MODES)
        async for mode, part in stream:
            teller.tell(mode, part)
        if not teller.questions:
            return teller.last
        given = answer(teller.questions, context)


def prepare(graph: Any, context: Context) -> bool:
    """Gives a graph checkpoints where it has none of its own. Returns whether there may be some to go on from."""
    # The process may have run the graph before, for another run.
    if getattr(graph, "checkpointer", None) is not None and not is_ours(graph):
        return bool(graph.checkpointer and context.get("answers"))
    try:
        graph.checkpointer = load_part("checkpoints").Checkpoints(context.run_id)
    except ImportError:  # An object of a graph's shape.
        return False
    return graph.checkpointer.load()


def is_ours(graph: Any) -> bool:
    checkpoints: Any = sys.modules.get("_runfleet.checkpoints")
    return checkpoints is not None and isinstance(getattr(graph, "checkpointer", None), checkpoints.Checkpoints)


def resume_pending(graph: Any, state: Any, input: Any, context: Context) -> Any:
    """Returns what a graph goes on with: None, or the newest answer where its checkpoint waits for it.

    Without such a question a graph of others' checkpoints gets its input.
    """
    tasks = getattr(state, "tasks", None) or ()
    waits = [question for task in tasks for question in getattr(task, "interrupts", None) or ()]
    answers = len(context.get("answers") or ())
    if not waits and not is_ours(graph):
        return input
    # The answers before were given in earlier attempts.
    given = graph.checkpointer.memory.given if is_ours(graph) else answers - len(waits)
    while asked_count() < min(given, answers):
        context.interrupt()
    if not waits or (is_ours(graph) and given >= answers):
        return None
    return answer(waits, context)


def asked_count() -> int:
    from _runfleet.context import asked

    return len(asked)


def answer(questions: list[Any], context: Context) -> Any:
    """Asks a person what the graph asks. Returns the graph's next input; raises Interrupted without an answer."""
    from langgraph.types import Command  # pyright: ignore[reportMissingImports]

    answers = [context.interrupt(getattr(question, "value", question)) for question in questions]
    if len(questions) == 1:
        return Command(resume=answers[0])
    ids = [getattr(question, "id", None) or getattr(question, "interrupt_id", None) for question in questions]
    return Command(resume=dict(zip(ids, answers)))


def needs_async(graph: Any) -> bool:
    """True when one of the graph's nodes is a coroutine function only."""
    nodes = getattr(graph, "nodes", None)
    bound = [getattr(node, "bound", None) for node in nodes.values()] if isinstance(nodes, dict) else []
    steps = [step for node in bound for step in (node, *(getattr(node, "steps", None) or ()))]
    return any(getattr(step, "func", True) is None and getattr(step, "afunc", None) for step in steps)


def stream_runnable(runnable: Any, input: Any, context: Context, send: Send) -> Any:
    """Runs a LangChain runnable. Its parts are output, and their sum is the result."""
    last, teller = None, Teller(send)
    for part in runnable.stream(input, config_of(runnable, context)):
        if hasattr(part, "content"):
            teller.tell_message(part)
        else:
            send("output", content=part)
        try:
            last = part if last is None else last + part
        except TypeError:
            last = part
    for message in messages_in([last]):
        teller.tell_tools(message)
    return last
