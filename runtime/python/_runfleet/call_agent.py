"""Finds the function of an agent that is to be called, calls the function, and sends what it yields."""

# An agent's objects are of any type.
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false, reportUnknownLambdaType=false

from __future__ import annotations

from _runfleet.arguments import Signature, call
from _runfleet.channel import channel, flush
from _runfleet.frameworks import adapt, framework_of, plain_function
from _runfleet.load_code import (
    CANDIDATES,
    BadEntrypoint,
    execute,
    give_input,
    read_code,
    refuse_idle_script,
    split_entrypoint,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType
    from typing import Any

    from _runfleet.context import Context

    Send = Callable[..., None]
    Call = Callable[..., Any]


# A durable run replaces these.
after_import: Callable[[], None] = lambda: None  # noqa: E731
prepare_async: Call = lambda coroutine: coroutine  # noqa: E731


def call_entrypoint(entrypoint: str, context: Context, send: Send, module: ModuleType | None = None) -> Any:
    """Returns the agent's result. `module`: the agent's module, if it was loaded ahead."""
    path, name = "", entrypoint.partition(":")[2]
    if module is None:
        path, name = split_entrypoint(entrypoint)
        code = read_code(path, name)
        if code.script:
            return run_script(code, context)
        module = execute(code)
    after_import()
    signature = prepared.get((module, name)) or Signature(find_function(module, name, send))
    result = drive(signature.call(context), send)
    # A function that makes a graph, an agent or an app is called for what it makes.
    made = framework_of(result, send)
    return result if made is None else drive(call(made, context), send)


prepared: dict[tuple[Any, str], Signature] = {}


def prepare(module: Any, name: str, send: Send) -> None:
    """Reads ahead what a plain function asks for, so that no run has to. Each run looks at any other object itself."""
    found: Any = getattr(module, name or next((name for name in CANDIDATES if hasattr(module, name)), ""), None)
    if type(found) is plain_function and adapt(found, send) is found:
        prepared[module, name] = Signature(found)


def run_script(code: Any, context: Context) -> None:
    """Runs a file that defines nothing to call. It finds the input on stdin, as JSON."""
    give_input(context["input"])
    sent = channel.sent
    execute(code)
    flush()
    refuse_idle_script(code, channel.sent > sent)


def find_function(module: Any, name: str, send: Send) -> Call:
    """Returns what is called: what the entrypoint names, or the first of CANDIDATES that can be called."""
    if name:
        found: Any = module
        for part in name.split("."):
            found = getattr(found, part, None)
        function = adapt(found, send)
        if function is None:
            raise BadEntrypoint(describe_unusable(module, name, found))
        return function
    there = [(candidate, getattr(module, candidate)) for candidate in CANDIDATES if hasattr(module, candidate)]
    for _, found in there:
        if (function := adapt(found, send)) is not None:
            return function
    if not there:
        raise BadEntrypoint(f"The agent's module has none of {', '.join(CANDIDATES)} once it is imported.")
    raise BadEntrypoint(describe_unusable(module, *there[0]))


def describe_unusable(module: Any, name: str, found: Any) -> str:
    if found is None:
        names = [key for key, value in vars(module).items() if callable(value) and not key.startswith("_")]
        has = f" It has {', '.join(names[:10])}." if names else ""
        return f"The agent's module has nothing to call that is named '{name}'.{has}"
    kind = type(found)
    return (
        f"Nothing is known that runs '{name}', which is a {kind.__module__}.{kind.__qualname__}."
        " Write a function `main(input, context)` that uses it."
    )


def drive(result: Any, send: Send) -> Any:
    """Sends what an iterator yields. Returns its return value, or the value itself if it isn't an iterator."""
    if hasattr(result, "__await__") or hasattr(result, "__anext__"):
        import asyncio

        return drive(asyncio.run(prepare_async(drive_async(result, send))), send)
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
