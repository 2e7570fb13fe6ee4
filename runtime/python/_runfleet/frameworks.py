"""Makes functions of what agents are written as: an object of a known framework, which is known by its shape."""

# An agent's objects are of any type.
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false, reportUnknownLambdaType=false

from __future__ import annotations

import sys

from _runfleet.arguments import call, parameters
from _runfleet.context import Interrupted  # noqa: F401 -- Agents of several frameworks end a run with it.
from _runfleet.crews import crew_events
from _runfleet.encode_json import encode, parse
from _runfleet.graphs import stream_graph, stream_runnable
from _runfleet.web_apps import is_asgi, is_wsgi, run_asgi, run_wsgi

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Send = Callable[..., None]
    Call = Callable[..., Any]

plain_function = type(lambda: None)
predictors: dict[type, Any] = {}  # Cog predictors that are set up, by class.


def adapt(found: Any, send: Send) -> Call | None:
    """Returns the function that runs what an agent's module has under a name. None: nothing is known that runs it."""
    if type(found) is plain_function:
        return as_asgi(found, send) or found
    known = framework_of(found, send)
    if known is not None or found is None:
        return known
    if isinstance(found, type):
        maker: Any = found
        has_run = any("run" in vars(base) for base in found.__mro__[:-1]) and "__new__" not in vars(found)
        return (lambda context: call(maker().run, context)) if has_run else found
    if callable(found):
        return found
    return found.run if callable(getattr(found, "run", None)) and type(found) is not type(sys) else None


def framework_of(found: Any, send: Send) -> Call | None:
    """Returns a function for an object of a known framework."""
    if isinstance(found, (str, int, float, list, dict, tuple)) or found is None:
        return None
    if isinstance(found, type):
        return (lambda input: predict(found, input)) if hasattr(found, "predict") else None  # a Cog predictor
    if all(hasattr(found, name) for name in ("add_node", "add_edge", "compile")):  # a LangGraph graph before `compile`
        found = found.compile()
    if all(hasattr(found, name) for name in ("stream", "invoke", "get_graph")):
        stream = stream_graph if hasattr(found, "channels") else stream_runnable
        return lambda input, context: stream(found, input, context, send)
    handlers = getattr(found, "handlers", None)
    if isinstance(handlers, dict) and "main" in handlers:  # a Bedrock AgentCore app
        return handlers["main"]
    if callable(getattr(found, "kickoff", None)):  # a CrewAI crew or flow
        return lambda input: kick_off(found, input, send)
    if all(hasattr(found, name) for name in ("run_sync", "run_stream")):  # a PydanticAI agent
        return lambda input: stream_pydantic(found, input, send)
    if all(hasattr(found, name) for name in ("instructions", "handoffs", "model_settings")):  # an OpenAI Agents agent
        return lambda input: stream_openai(found, input, send)
    return as_asgi(found, send)


def as_asgi(found: Any, send: Send) -> Call | None:
    if is_asgi(found):
        return lambda input: run_asgi(found, input, send)
    if is_wsgi(found):
        return lambda input: run_wsgi(found, input, send)
    return None


def report_usage(send: Send, usage: Any) -> None:
    """Sends the totals of a framework's usage object, whose fields have one of several names."""
    if callable(usage):
        usage = usage()
    totals: dict[str, int] = {}
    for field, names in (
        ("input_tokens", ("input_tokens", "request_tokens", "prompt_tokens")),
        ("output_tokens", ("output_tokens", "response_tokens", "completion_tokens")),
    ):
        counts = [count for name in names if isinstance(count := getattr(usage, name, None), int)]
        if counts and counts[0]:
            totals[field] = counts[0]
    if totals:
        send("usage", **totals)


def kick_off(crew: Any, input: Any, send: Send) -> Any:
    with crew_events(crew, send):
        result = crew.kickoff(inputs=input)
    report_usage(send, getattr(result, "token_usage", None))
    return result


async def stream_pydantic(agent: Any, input: Any, send: Send) -> Any:
    async def send_tools(_: Any, events: Any) -> None:
        async for event in events:
            send_pydantic_event(event, send)

    names = parameters(agent.run_stream).names
    options = {"event_stream_handler": send_tools} if "event_stream_handler" in names else {}
    async with agent.run_stream(last_text_of(prompt_of(input)), **options) as result:
        if getattr(agent, "output_type", str) is str:
            async for text in result.stream_text(delta=True):
                send("output", content=text)
        output = await result.get_output()
        report_usage(send, getattr(result, "usage", None))
        return output


def send_pydantic_event(event: Any, send: Send) -> None:
    kind = getattr(event, "event_kind", "")
    if kind == "function_tool_call":
        part = event.part
        send("tool.start", call_id=str(part.tool_call_id), name=str(part.tool_name), args=parse_args(part.args))
    elif kind == "function_tool_result":
        part: Any = getattr(event, "result", None) or getattr(event, "part", None)
        send("tool.end", call_id=str(part.tool_call_id), result=getattr(part, "content", None), error=None)


async def stream_openai(agent: Any, input: Any, send: Send) -> Any:
    runner: Any = sys.modules[type(agent).__module__.partition(".")[0]].Runner
    result = runner.run_streamed(agent, prompt_of(input))
    async for event in result.stream_events():
        if event.type == "raw_response_event" and event.data.type == "response.output_text.delta":
            send("output", content=event.data.delta)
        elif event.type == "run_item_stream_event":
            send_openai_item(event, send)
    report_usage(send, getattr(getattr(result, "context_wrapper", None), "usage", None))
    if getattr(result, "interruptions", None):
        raise RuntimeError(
            "The agent asks for approval of a tool. Call Runner.run() in a main of your own, and ask with"
            " context.interrupt()."
        )
    return result.final_output


def send_openai_item(event: Any, send: Send) -> None:
    item = event.item
    raw = getattr(item, "raw_item", None)
    read = raw.get if isinstance(raw, dict) else lambda name: getattr(raw, name, None)
    call_id = read("call_id") or read("id")
    if event.name == "tool_called" and call_id:
        name, args = str(read("name") or read("type")), parse_args(read("arguments"))
        send("tool.start", call_id=str(call_id), name=name, args=args)
    elif event.name == "tool_output" and call_id:
        send("tool.end", call_id=str(call_id), result=getattr(item, "output", None), error=None)
    else:
        send("custom", name=event.name, value=item)


def parse_args(args: Any) -> Any:
    """Returns a tool's arguments, which several frameworks have as JSON."""
    try:
        return parse(args) if isinstance(args, str) else args
    except (ValueError, StopIteration):
        return args


def prompt_of(input: Any) -> Any:
    """Returns what of an input is given to a framework that takes a text or a list of messages."""
    if not isinstance(input, dict):
        return input
    names = ("prompt", "input", "message", "messages", "question", "query", "text", "task")
    found = next((input[name] for name in names if name in input), None)
    return encode(input).decode() if found is None else found


def last_text_of(prompt: Any) -> Any:
    """Returns the last message's text of a list of chat messages."""
    if isinstance(prompt, list) and prompt and isinstance(prompt[-1], dict) and "content" in prompt[-1]:
        return prompt[-1]["content"]
    return prompt


def predict(found: type, input: dict[str, Any]) -> Any:
    predictor = set_up_predictor(found)
    known = parameters(predictor.predict)
    given = {name: value for name, value in input.items() if known.takes_any or name in known.names}
    for name in known.names:
        default = default_of(predictor.predict, name)
        if name not in given and type(default).__name__ in ("FieldInfo", "Input") and hasattr(default, "default"):
            given[name] = default.default  # Cog's `Input(default=…)`.
    return predictor.predict(**given)


def default_of(function: Call, name: str) -> Any:
    plain: Any = getattr(function, "__func__", function)
    code, defaults = plain.__code__, plain.__defaults__ or ()
    positional = code.co_varnames[: code.co_argcount]
    if name in positional:
        index = positional.index(name) - (len(positional) - len(defaults))
        return defaults[index] if index >= 0 else None
    return (plain.__kwdefaults__ or {}).get(name)


def set_up_predictor(found: type) -> Any:
    """Returns the predictor of a class. Its `setup` is called once a process, ahead of forks where it can be."""
    if found not in predictors:
        predictor: Any = found()
        if callable(getattr(predictor, "setup", None)):
            predictor.setup()
        predictors[found] = predictor
    return predictors[found]


def set_up_module(module: Any, name: str) -> None:
    """Does ahead of the runs what a framework does once: sets up a Cog predictor."""
    found = getattr(module, name or "Predictor", None)
    others = ("main", "run", "agent", "graph", "crew", "app", "predict")
    if not name and any(hasattr(module, other) for other in others):
        return
    if isinstance(found, type) and hasattr(found, "predict"):
        set_up_predictor(found)
