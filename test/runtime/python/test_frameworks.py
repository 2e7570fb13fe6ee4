# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false, reportUnknownVariableType=false
# pyright: reportUnknownLambdaType=false

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Generator
from contextlib import contextmanager
from types import ModuleType, SimpleNamespace
from typing import Any

from _runfleet.arguments import call
from _runfleet.call_agent import drive
from _runfleet.context import Context
from _runfleet.frameworks import adapt, framework_of, predictors
from support import RuntimeTest


async def each(*items: Any) -> AsyncIterator[Any]:
    for item in items:
        yield item


class Frameworks(RuntimeTest):
    def setUp(self) -> None:
        super().setUp()
        self.sent: list[tuple[str, dict[str, Any]]] = []

    def send(self, type_: str, **fields: Any) -> None:
        self.sent.append((type_, fields))

    def run_agent(self, found: Any, input: Any) -> Any:
        function = adapt(found, self.send)
        assert function is not None
        return drive(call(function, Context(input=input, run_id="run", thread_id=None)), self.send)

    def test_openai_agents(self) -> None:
        """Words are output, tools are events with their arguments, and usage is counted."""
        called = SimpleNamespace(raw_item=SimpleNamespace(call_id="c1", name="weather", arguments='{"city": "Rome"}'))
        answered = SimpleNamespace(raw_item={"call_id": "c1"}, output="sunny")
        delta = SimpleNamespace(type="response.output_text.delta", delta="It is sunny")
        events = (
            SimpleNamespace(type="run_item_stream_event", name="tool_called", item=called),
            SimpleNamespace(type="run_item_stream_event", name="tool_output", item=answered),
            SimpleNamespace(type="raw_response_event", data=delta),
        )
        usage = SimpleNamespace(input_tokens=12, output_tokens=6)
        result = SimpleNamespace(
            stream_events=lambda: each(*events),
            context_wrapper=SimpleNamespace(usage=usage),
            final_output="It is sunny",
        )
        module = ModuleType("agents_sdk")
        vars(module)["Runner"] = SimpleNamespace(run_streamed=lambda *_: result)
        sys.modules["agents_sdk"] = module
        self.addCleanup(sys.modules.pop, "agents_sdk")
        agent = type("Agent", (), {"instructions": "", "handoffs": [], "model_settings": None})
        agent.__module__ = "agents_sdk.agent"
        self.assertEqual(self.run_agent(agent(), {"prompt": "weather?"}), "It is sunny")
        self.assertEqual(
            self.sent,
            [
                ("tool.start", {"call_id": "c1", "name": "weather", "args": {"city": "Rome"}}),
                ("tool.end", {"call_id": "c1", "result": "sunny", "error": None}),
                ("output", {"content": "It is sunny"}),
                ("usage", {"input_tokens": 12, "output_tokens": 6}),
            ],
        )
        vars(result).update(stream_events=each, interruptions=["c1"])
        with self.assertRaisesRegex(RuntimeError, "asks for approval"):
            self.run_agent(agent(), {"prompt": "weather?"})

    def test_pydantic_ai(self) -> None:
        """Tools of a PydanticAI agent are events, and its usage is counted, under its older names, too."""
        part = SimpleNamespace(tool_call_id="c1", tool_name="weather", args={"city": "Rome"})
        events = (
            SimpleNamespace(event_kind="function_tool_call", part=part),
            SimpleNamespace(
                event_kind="function_tool_result", result=SimpleNamespace(tool_call_id="c1", content="sunny")
            ),
        )

        class Streamed:
            def __init__(self, handler: Any) -> None:
                self.handler = handler

            async def __aenter__(self) -> Streamed:
                await self.handler(None, each(*events))
                return self

            async def __aexit__(self, *_: object) -> None: ...

            def stream_text(self, delta: bool) -> AsyncIterator[str]:
                return each("a", "b")

            async def get_output(self) -> str:
                return "ab"

            def usage(self) -> Any:
                return SimpleNamespace(request_tokens=5, response_tokens=2)

        class Agent:
            def run_sync(self) -> None: ...

            def run_stream(self, prompt: Any, event_stream_handler: Any = None) -> Streamed:
                self.prompt = prompt
                return Streamed(event_stream_handler)

        agent = Agent()
        messages = [{"role": "user", "content": "weather?"}]
        self.assertEqual(self.run_agent(agent, {"messages": messages}), "ab")
        self.assertEqual(agent.prompt, "weather?")
        self.assertEqual([type_ for type_, _ in self.sent], ["tool.start", "tool.end", "output", "output", "usage"])
        self.assertEqual(self.sent[-1][1], {"input_tokens": 5, "output_tokens": 2})

    def test_crew(self) -> None:
        """A crew's token usage is counted."""
        usage = SimpleNamespace(prompt_tokens=3, completion_tokens=1)
        result = SimpleNamespace(token_usage=usage)
        self.assertIs(self.run_agent(SimpleNamespace(kickoff=lambda inputs: result), {}), result)
        self.assertEqual(self.sent, [("usage", {"input_tokens": 3, "output_tokens": 1})])

    def test_crew_tools(self) -> None:
        """A crew's tools and tokens are those that its event bus tells of, and nobody listens after the run."""
        handlers: list[tuple[type, Any]] = []

        class Bus:
            @contextmanager
            def scoped_handlers(self) -> Generator[None, None, None]:
                yield
                handlers.clear()

            def on(self, event_type: type) -> Any:
                return lambda handle: handlers.append((event_type, handle))

            def emit(self, event: Any) -> None:
                for event_type, handle in handlers:
                    if type(event) is event_type:
                        handle(None, event)

        names = ("ToolUsageStartedEvent", "ToolUsageFinishedEvent", "ToolUsageErrorEvent", "LLMStreamChunkEvent")
        started, finished, failed, chunk = (type(name, (SimpleNamespace,), {}) for name in names)
        bus = Bus()
        package, events = ModuleType("crewlike"), ModuleType("crewlike.events")
        package.__path__ = []
        events.__dict__.update(zip(names, (started, finished, failed, chunk)), crewai_event_bus=bus)
        for module in (package, events):
            sys.modules[module.__name__] = module
            self.addCleanup(sys.modules.pop, module.__name__)

        class Crew:
            __module__ = "crewlike.crew"

            def kickoff(self, inputs: Any) -> str:
                search: Any = {"tool_name": "search", "tool_args": {"q": 1}}
                bus.emit(started(**search))
                bus.emit(started(tool_name="search", tool_args='{"q": 2}'))
                bus.emit(finished(**search, output="found"))
                bus.emit(failed(tool_name="search", tool_args={"q": 2}, error=ValueError("no")))
                bus.emit(chunk(chunk="Hel"))
                return "Hello"

        self.assertEqual(self.run_agent(Crew(), {}), "Hello")
        self.assertEqual(
            self.sent,
            [
                ("tool.start", {"call_id": "crew_1", "name": "search", "args": {"q": 1}}),
                ("tool.start", {"call_id": "crew_2", "name": "search", "args": {"q": 2}}),
                ("tool.end", {"call_id": "crew_1", "result": "found", "error": None}),
                ("tool.end", {"call_id": "crew_2", "result": None, "error": "no"}),
                ("output", {"content": "Hel"}),
            ],
        )
        self.assertEqual(handlers, [])

    def test_set_up_once(self) -> None:
        """A Cog predictor is set up once a process; defaults of its inputs count."""
        count = []
        field = type("FieldInfo", (), {"default": "there"})()

        class Predictor:
            def setup(self) -> None:
                count.append(1)

            def predict(self, text: str, name: Any = field) -> Any:
                return text, name

        self.addCleanup(predictors.clear)
        self.assertEqual(self.run_agent(Predictor, {"text": "hi", "other": 1}), ("hi", "there"))
        self.assertEqual(self.run_agent(Predictor, {"text": "hi", "name": "Bo"}), ("hi", "Bo"))
        self.assertEqual(count, [1])

    def test_plain_values(self) -> None:
        """What an agent returns is no framework's object by chance."""
        for value in (None, 1, "text", [1], {"stream": 1}, (1,), object(), SimpleNamespace(a=1)):
            with self.subTest(value=value):
                self.assertIsNone(framework_of(value, self.send))
