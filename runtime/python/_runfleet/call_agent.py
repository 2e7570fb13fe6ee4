"""Loads the agent's file, finds the function to call, calls the function, and sends what it yields."""

# An agent's objects are of any type.
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false, reportUnknownLambdaType=false

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ast import Module
    from collections.abc import Callable, Iterable
    from types import ModuleType
    from typing import Any

    from _runfleet.context import Context

    Send = Callable[..., None]
    Call = Callable[..., Any]


class NoEntrypoint(Exception):
    runfleet_code = "no_entrypoint"


class BadEntrypoint(Exception):
    runfleet_code = "bad_entrypoint"


CANDIDATES = ("main", "run", "agent", "graph", "crew", "app", "predict", "Predictor", "handler")


def call_entrypoint(entrypoint: str, context: Context, send: Send, module: ModuleType | None = None) -> Any:
    """Returns the agent's result. `module`: the agent's module, if it was loaded ahead."""
    if module is None:
        module = execute(*read_code(*split_entrypoint(entrypoint)))
    if module is None:
        return None
    path, _, name = entrypoint.partition(":")
    found = getattr(module, name, None) if name else first_callable(module, send)
    function = adapt(found, send)
    if name and function is None:
        raise BadEntrypoint(f"'{path}' has nothing to call that is named '{name}'.")
    return drive(call(function, context), send) if function else None


def split_entrypoint(entrypoint: str) -> tuple[str, str]:
    if not entrypoint:
        raise NoEntrypoint("The agent has no code: neither its config nor the run's files name any.")
    path, _, name = entrypoint.partition(":")
    path = os.path.normpath(path)
    if path.startswith(("..", "/")) or not path.endswith(".py"):
        raise BadEntrypoint(f"'{entrypoint}' is not like file.py or file.py:name.")
    if not os.path.isfile(path):
        raise BadEntrypoint(f"There is no file '{path}' among the agent's code.")
    return path, name


def first_callable(module: ModuleType, send: Send) -> Any:
    return next((item for item in (getattr(module, name, None) for name in CANDIDATES) if adapt(item, send)), None)


def read_code(path: str, name: str) -> tuple[str, Module, bool]:
    """Returns (path, syntax tree, whether the file is a script). A script defines nothing that could be called."""
    with open(path, "rb") as file:
        tree: Any = compile(
            file.read(), os.path.abspath(path), "exec", 0x400, dont_inherit=True
        )  # ast.PyCF_ONLY_AST, without importing ast
    return path, tree, not name and defined_names(tree.body).isdisjoint((*CANDIDATES, "*"))


def execute(path: str, tree: Module, script: bool) -> ModuleType | None:
    """Runs a file's code. Returns its module, or None for a script, which has then ended."""
    sys.path[:0] = [os.getcwd()] if not os.path.dirname(path) else [os.path.abspath(os.path.dirname(path)), os.getcwd()]
    sys.argv = [path]
    full = os.path.abspath(path)
    stem = os.path.basename(path)[:-3]
    name = "__main__" if script else f"agent_{stem}" if stem in sys.modules else stem
    module = type(sys)(name)
    module.__file__ = full
    sys.modules[name] = module
    exec(compile(tree, full, "exec", dont_inherit=True), module.__dict__)
    if script and "threading" in sys.modules:
        sys.modules["threading"]._shutdown()  # A script ends when its last thread ends.
    return None if script else module


def defined_names(statements: Iterable[Any]) -> set[str]:
    """Returns the names that statements bind at a module's top level, also in nested blocks."""
    names: set[str] = set()
    for statement in statements:
        kind = type(statement).__name__
        if kind in ("FunctionDef", "AsyncFunctionDef", "ClassDef"):
            names.add(statement.name)
            continue
        for alias in statement.names if kind in ("Import", "ImportFrom") else ():
            names.add(alias.asname or alias.name.partition(".")[0])
        for target in getattr(statement, "targets", [getattr(statement, "target", None)]):
            names.update(item.id for item in getattr(target, "elts", [target]) if hasattr(item, "id"))
        for block in ("body", "orelse", "finalbody"):
            names |= defined_names(getattr(statement, block, []))
        for handler in getattr(statement, "handlers", []):
            names |= defined_names(handler.body)
    return names


def adapt(found: Any, send: Send) -> Call | None:
    """Returns a function for an object of a known framework, which is known by its shape. None: not callable."""
    if type(found) is type(adapt):
        return found
    if all(hasattr(found, name) for name in ("stream", "invoke", "get_graph")):
        return lambda input, context: stream_graph(found, input, context, send)
    if isinstance(found, type) and hasattr(found, "predict"):  # a Cog predictor
        return lambda input: predict(found(), input)
    handlers = getattr(found, "handlers", None)
    if isinstance(handlers, dict) and "main" in handlers:  # a Bedrock AgentCore app
        return handlers["main"]
    if hasattr(found, "kickoff"):  # a CrewAI crew
        return lambda input: found.kickoff(inputs=input)
    if all(hasattr(found, name) for name in ("run_sync", "run_stream")):  # a PydanticAI agent
        return lambda input: stream_pydantic(found, input, send)
    if all(hasattr(found, name) for name in ("instructions", "handoffs", "model_settings")):  # an OpenAI Agents agent
        return lambda input: stream_openai(found, input, send)
    return found if callable(found) else None


def stream_graph(graph: Any, input: Any, context: Context, send: Send) -> Any:
    """Runs a LangGraph graph (which has `channels`) or a LangChain runnable."""
    config = {"configurable": {"thread_id": context.thread_id or context.run_id}}
    last = None
    if not hasattr(graph, "channels"):
        for part in graph.stream(input, config):
            send("output", content=getattr(part, "content", part))
            last = part if last is None else last + part
        return last
    for mode, part in graph.stream(input, config, stream_mode=["messages", "custom", "updates", "values"]):
        if mode == "values":
            last = part
        elif mode == "messages":
            if content := getattr(part[0], "content", ""):
                send("output", content=content)
        else:
            send("custom", name="custom" if mode == "custom" else "update", value=part)
    return last


async def stream_pydantic(agent: Any, input: Any, send: Send) -> Any:
    async with agent.run_stream(prompt_of(input)) as result:
        async for text in result.stream_text(delta=True):
            send("output", content=text)
        return await result.get_output()


async def stream_openai(agent: Any, input: Any, send: Send) -> Any:
    runner: Any = sys.modules[type(agent).__module__.partition(".")[0]].Runner
    result = runner.run_streamed(agent, prompt_of(input))
    async for event in result.stream_events():
        if event.type == "raw_response_event" and event.data.type == "response.output_text.delta":
            send("output", content=event.data.delta)
        elif event.type == "run_item_stream_event":
            send("custom", name=event.name, value=event.item)
    return result.final_output


def prompt_of(input: Any) -> Any:
    """Returns what of an input is given to a framework that takes a text or a list of messages."""
    if isinstance(input, dict):
        return next((input[name] for name in ("prompt", "input", "message", "messages") if name in input), str(input))
    return input


def predict(predictor: Any, input: dict[str, Any]) -> Any:
    getattr(predictor, "setup", lambda: None)()
    _, names, takes_any = parameters(predictor.predict)
    return predictor.predict(**{name: value for name, value in input.items() if takes_any or name in names})


def parameters(function: Call) -> tuple[tuple[str, ...], tuple[str, ...], bool]:
    """Returns (positional names, names that can be given by keyword, whether any keyword can be given).

    A plain function is read without `inspect`, which is slow to import.
    """
    bound = getattr(function, "__func__", None)
    code = getattr(bound or function, "__code__", None)
    if code and not hasattr(function, "__wrapped__") and not hasattr(function, "__signature__"):
        skip = 1 if bound else 0
        positional = code.co_varnames[skip : code.co_argcount]
        keyword = code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]
        return positional, positional + keyword, bool(code.co_flags & 0x08)
    import inspect

    try:
        found = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return ("input",), ("input",), False
    positional = tuple(p.name for p in found if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD))
    keyword = tuple(p.name for p in found if p.kind == p.KEYWORD_ONLY)
    return positional, positional + keyword, any(p.kind == p.VAR_KEYWORD for p in found)


def call(function: Call, context: Context) -> Any:
    """Calls an agent's function with the input and the context.

    The first parameter gets the whole input, unless there are several and the input has a field of its name. The others
    get the input's fields by name. A parameter `ctx` or `context` gets the context.
    """
    positional, names, takes_any = parameters(function)
    input, contexts = context["input"], ("ctx", "context")
    fields = [name for name in names if name not in contexts]
    alone = len(fields) == 1 and not takes_any
    whole = fields[:1] if fields and fields[0] in positional and (alone or fields[0] not in input) else []
    given = {name: input[name] for name in (input if takes_any else fields) if name in input and name not in whole}
    given.update({name: context for name in contexts if name in names})
    if not whole:
        return function(**given)
    return function(input, **given) if positional[0] in whole else function(**{whole[0]: input}, **given)


def drive(result: Any, send: Send) -> Any:
    """Sends what an iterator yields. Returns its return value, or the value itself if it isn't an iterator."""
    if hasattr(result, "__await__") or hasattr(result, "__anext__"):
        import asyncio

        return drive(asyncio.run(drive_async(result, send)), send)
    if not hasattr(result, "__next__"):
        return result
    while True:
        try:
            part = next(result)
        except StopIteration as stop:
            return stop.value
        send("output", content=part)


async def drive_async(result: Any, send: Send) -> Any:
    if hasattr(result, "__await__"):
        result = await result
    if not hasattr(result, "__anext__"):
        return result
    async for part in result:
        send("output", content=part)
    return None
