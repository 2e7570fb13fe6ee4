# pyright: reportUnknownLambdaType=false

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from _runfleet.arguments import MissingArgument, Parameters, call, parameters
from _runfleet.call_agent import call_entrypoint, drive
from _runfleet.context import Context
from _runfleet.frameworks import adapt
from _runfleet.load_code import BadEntrypoint, NoEntrypoint, read_code
from support import RuntimeTest


class AgentTest(RuntimeTest):
    def setUp(self) -> None:
        super().setUp()
        self.sent: list[tuple[str, Any]] = []
        self.replace(sys, "path", list(sys.path))
        self.replace(sys, "argv", list(sys.argv))
        self.addCleanup(sys.modules.update, {"__main__": sys.modules["__main__"]})

    def send(self, type_: str, **fields: Any) -> None:
        self.sent.append((type_, fields.get("content", fields.get("value"))))

    def run_agent(self, source: str, input: Any = None, entrypoint: str = "main.py") -> Any:
        Path("main.py").write_text(source)
        context = Context(input={} if input is None else input, run_id="run", thread_id=None)
        try:
            return call_entrypoint(entrypoint, context, self.send)
        finally:
            for name in ("main", "other", "agent_json"):
                sys.modules.pop(name, None)


class Results(AgentTest):
    def test_shapes(self) -> None:
        """Whatever shape an agent has, what it yields is output and what it returns is the result."""
        for source, result, outputs in (
            ("def main(input): return input['a'] + 1", 2, []),
            ("def main(input):\n    yield 1\n    yield 2\n    return 3", 3, [1, 2]),
            ("async def main(input): return 4", 4, []),
            ("async def main(input):\n    yield 5", None, [5]),
            ("def main(input): return iter([6, 7])", None, [6, 7]),
            ("def main(input): return [8]", [8], []),
            ("def main(input):\n    async def inner():\n        yield 9\n    return inner()", None, [9]),
            ("async def main(input):\n    def inner():\n        yield 1\n        return 2\n    return inner()", 2, [1]),
            ("class main:\n    def __new__(cls, input): return 10", 10, []),
            ("main = lambda input: 11", 11, []),
            ("def run(input): return 12", 12, []),
            ("print()\nx = 1", None, []),
        ):
            with self.subTest(source=source):
                self.sent.clear()
                self.assertEqual(self.run_agent(source, {"a": 1}), result)
                self.assertEqual(self.sent, [("output", value) for value in outputs])

    def test_named(self) -> None:
        """An entrypoint may name what to call; a name that isn't there or can't be called is an error."""
        source = "def main(input): return 1\ndef other(input): return 2\nnumber = 3"
        self.assertEqual(self.run_agent(source, entrypoint="main.py:other"), 2)
        with self.assertRaisesRegex(BadEntrypoint, "nothing to call that is named 'missing'. It has main, other"):
            self.run_agent(source, entrypoint="main.py:missing")
        with self.assertRaisesRegex(BadEntrypoint, "Nothing is known that runs 'number', which is a builtins.int"):
            self.run_agent(source, entrypoint="main.py:number")

    def test_refused(self) -> None:
        """An entrypoint that is no Python file of the agent's is an error that says what is wrong."""
        with self.assertRaises(NoEntrypoint):
            self.run_agent("", entrypoint="")
        for entrypoint, sentence in (
            ("../main.py", "is not like"),
            ("/etc/main.py", "is not like"),
            ("a/../../main.py", "is not like"),
            ("main.js", "is not like"),
            ("gone.py", "There is no file 'gone.py'"),
        ):
            with self.subTest(entrypoint=entrypoint), self.assertRaisesRegex(BadEntrypoint, sentence):
                self.run_agent("", entrypoint=entrypoint)

    def test_script(self) -> None:
        """A file that defines nothing to call runs as a script, with its last thread."""
        source = (
            "import threading, time\nif __name__ == '__main__':\n"
            "    def late(): time.sleep(0.05); open('done', 'w').close()\n    threading.Thread(target=late).start()"
        )
        self.assertIsNone(self.run_agent(source))
        self.assertTrue(Path("done").exists())

    def test_own_modules(self) -> None:
        """An agent imports its other files; a file named like a module of Python's doesn't hide it."""
        Path("other.py").write_text("value = 5")
        Path("json.py").write_text("def main(input):\n    import json\n    return json.dumps([__name__])")
        self.assertEqual(self.run_agent("import other\ndef main(input): return other.value"), 5)
        self.assertIn(self.run_agent("", entrypoint="json.py"), ('["agent_json"]',))

    def test_defined_names(self) -> None:
        """What a file binds is found in nested blocks too, so that no agent is taken for a script."""
        for source in (
            "try:\n    from x import main\nexcept ImportError:\n    pass",
            "try:\n    pass\nexcept E:\n    def main(): pass",
            "if a:\n    pass\nelse:\n    main = 1",
            "with a:\n    async def main(): pass",
            "a, main = 1, 2",
            "main: int = 1",
            "import x as main",
            "from x import *",
        ):
            with self.subTest(source=source):
                Path("main.py").write_text(source)
                self.assertFalse(read_code("main.py", "").script)
        for source in (
            "def helper():\n    main = 1\nother.main = 2",
            "if __name__ == '__main__':\n    app = make()\n    app.start()",
            "import agent\nagent.go()",
            "for run in range(3):\n    print(run)",
        ):
            with self.subTest(source=source):
                Path("main.py").write_text(source)
                self.assertTrue(read_code("main.py", "").script)


class Arguments(AgentTest):
    def test_given(self) -> None:
        """A function gets the input whole, or by the names of its fields, and the context by its name."""
        context = Context(input={"a": 1, "b": 2})
        whole = context["input"]

        def keywords(**fields: Any) -> Any:
            return fields

        def rest(input: Any, *, b: Any = None) -> Any:
            return input, b

        cases: list[tuple[Any, Any]] = [
            (lambda: "none", "none"),
            (lambda input: input, whole),
            (lambda a: a, whole),
            (lambda a, b: (a, b), (1, 2)),
            (lambda a, c=3: (a, c), (1, 3)),
            (lambda input, context: (input, context), (whole, context)),
            (lambda ctx: ctx, context),
            (lambda context, input: (context, input), (context, whole)),
            (keywords, whole),
            (rest, (whole, 2)),
        ]
        for number, (function, expected) in enumerate(cases):
            with self.subTest(case=number):
                self.assertEqual(call(function, context), expected)

    def test_one_field(self) -> None:
        """A single parameter that is no object by its annotation gets its field; without it, the error names it."""
        context = Context(input={"name": "Bo", "n": 2})

        def greet(name: str, context: Any) -> Any:
            return name, context

        def count(n: int = 1) -> Any:
            return n

        def missing(other: str) -> Any:
            return other

        def whole(input: str) -> Any:
            return input

        self.assertEqual(call(greet, context), ("Bo", context))
        self.assertEqual(call(count, context), 2)
        self.assertEqual(call(count, Context(input={})), 1)
        self.assertEqual(call(whole, context), context["input"])
        with self.assertRaisesRegex(MissingArgument, "'other'.*it has name, n"):
            call(missing, context)

    def test_by_place_and_annotation(self) -> None:
        """Two parameters that nothing names get the input and the context; annotations say what a parameter is."""
        from dataclasses import dataclass

        @dataclass
        class In:
            a: int

        class Model:
            @classmethod
            def model_validate(cls, value: Any) -> Any:
                return "validated", value

        context = Context(input={"a": 1, "b": 2})

        def placed(i: Any, c: Any) -> Any:
            return i, c

        def annotated(x: Model, c: Context) -> Any:
            return x, c

        def of_dataclass(thing: In) -> Any:
            return thing

        annotated.__annotations__.update(x=Model)
        of_dataclass.__annotations__.update(thing=In)
        self.assertEqual(call(placed, context), (context["input"], context))
        self.assertEqual(call(annotated, context), (("validated", context["input"]), context))
        self.assertEqual(call(of_dataclass, context), In(1))

    def test_missing(self) -> None:
        """A parameter that the input has no field for is an error that names it and what the input has."""

        def greet(name: Any, greeting: Any = "hi") -> Any: ...

        def several(*, a: Any, b: Any) -> Any: ...

        with self.assertRaisesRegex(MissingArgument, r"^missing argument 'name': greet\(\) .* it has nam\.$"):
            call(greet, Context(input={"nam": "Bo"}))
        with self.assertRaisesRegex(MissingArgument, "missing arguments 'a', 'b'.*it is empty"):
            call(several, Context(input={}))

    def test_same_as_inspect(self) -> None:
        """A plain function's parameters are read as `inspect` reads them, methods and decorated ones too."""
        import functools

        class Thing:
            def method(self, a: Any, *, b: Any) -> None: ...

            @classmethod
            def of_class(cls, a: Any) -> None: ...

        def plain(a: Any, /, b: Any, *c: Any, d: Any, **e: Any) -> None: ...

        @functools.wraps(plain)
        def wrapped(*args: Any, **fields: Any) -> None: ...

        def with_defaults(a: Any, b: Any = 1, *, c: Any, d: Any = 2) -> None: ...

        def read(function: Any) -> tuple[Any, ...]:
            found: Parameters = parameters(function)
            return found.positional, found.names, found.takes_any, found.optional

        self.assertEqual(read(plain), (("a", "b"), ("a", "b", "d"), True, ()))
        self.assertEqual(read(wrapped), (("a", "b"), ("a", "b", "d"), True, ()))
        self.assertEqual(read(Thing().method), (("a",), ("a", "b"), False, ()))
        self.assertEqual(read(Thing.of_class), (("a",), ("a",), False, ()))
        self.assertEqual(read(functools.partial(plain, 1)), (("b",), ("b", "d"), True, ()))
        self.assertEqual(read(len), (("obj",), ("obj",), False, ()))
        self.assertEqual(read(with_defaults), (("a", "b"), ("a", "b", "c", "d"), False, ("b", "d")))


class Frameworks(AgentTest):
    def test_graph(self) -> None:
        """A LangGraph graph streams its messages as output, its updates as events, and returns its last values."""

        class Chunk:
            content = "word"

        class Graph:
            channels = ()

            def stream(self, input: Any, config: Any, stream_mode: Any) -> Iterator[tuple[str, Any]]:
                self.config = config
                yield "messages", (Chunk(), {})
                yield "updates", {"node": 1}
                yield "custom", {"own": 1}
                yield "values", {"answer": input}

            def invoke(self) -> None: ...

            def get_graph(self) -> None: ...

        graph = Graph()
        function = adapt(graph, self.send)
        assert function is not None
        context = Context(input={"q": 1}, run_id="run", thread_id="thread")
        self.assertEqual(drive(call(function, context), self.send), {"answer": {"q": 1}})
        self.assertEqual(self.sent, [("output", "word"), ("custom", {"node": 1}), ("custom", {"own": 1})])
        self.assertEqual(graph.config, {"configurable": {"thread_id": "thread"}})

    def test_predictor(self) -> None:
        """A Cog predictor is set up, and gets the fields that it names."""

        class Predictor:
            def setup(self) -> None:
                self.ready = True

            def predict(self, a: int) -> Any:
                return self.ready, a

        function = adapt(Predictor, self.send)
        assert function is not None
        self.assertEqual(call(function, Context(input={"a": 1, "b": 2})), (True, 1))

    def test_others(self) -> None:
        """PydanticAI agents stream text, crews kick off, apps have a main handler; the rest can't be called."""

        class Streamed:
            async def __aenter__(self) -> Streamed:
                return self

            async def __aexit__(self, *_: object) -> None: ...

            async def stream_text(self, delta: bool) -> AsyncIterator[str]:
                yield "a"
                yield "b"

            async def get_output(self) -> str:
                return "ab"

        class Pydantic:
            def run_sync(self) -> None: ...

            def run_stream(self, prompt: Any) -> Streamed:
                self.prompt = prompt
                return Streamed()

        class Crew:
            def kickoff(self, inputs: Any) -> Any:
                return inputs

        app = ModuleType("app")
        vars(app)["handlers"] = {"main": lambda input: "handled"}
        agent = Pydantic()
        context = Context(input={"prompt": "hello"})
        for found, expected in ((agent, "ab"), (Crew(), {"prompt": "hello"}), (app, "handled")):
            function = adapt(found, self.send)
            assert function is not None
            self.assertEqual(drive(call(function, context), self.send), expected)
        self.assertEqual((agent.prompt, self.sent), ("hello", [("output", "a"), ("output", "b")]))
        self.assertIsNone(adapt(1, self.send))
        self.assertIsNone(adapt(None, self.send))
