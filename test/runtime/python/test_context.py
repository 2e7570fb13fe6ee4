from __future__ import annotations

import ast
import sys
import tempfile
import threading
from pathlib import Path
from typing import Any

import _runfleet
from _runfleet import load_part
from _runfleet.context import Context, Interrupted, asked, fill_context, offer_helper
from support import RuntimeTest

REQUEST: dict[str, Any] = {
    "history": [],
    "answers": ["first"],
    "state_snapshot": "saved",
    "run_id": "run",
    "thread_id": None,
    "agent_id": "agent",
    "user_id": "user",
    "version": "1",
    "attempt": 1,
    "metadata": {},
    "env": {},
    "input_payload": {"q": 1},
    "files": {"a/b.txt": "x"},
}


class Contexts(RuntimeTest):
    def setUp(self) -> None:
        super().setUp()
        asked.clear()
        self.context = Context()
        fill_context(self.context, REQUEST)

    def test_fields(self) -> None:
        """A context has the run's fields by key and by attribute, and its files by their absolute paths."""
        self.assertEqual((self.context.input, self.context["state"], self.context.run_id), ({"q": 1}, "saved", "run"))
        self.assertEqual(self.context.files, {"a/b.txt": str(Path("a/b.txt").absolute())})
        with self.assertRaises(AttributeError):
            _ = self.context.missing

    def test_interrupt(self) -> None:
        """A question that was answered returns its answer; the next one ends the run."""
        self.assertEqual(self.context.interrupt("one?"), "first")
        with self.assertRaises(Interrupted) as raised:
            self.context.interrupt({"two": 2}, response_schema={"type": "string"}, expires_in_ms=5)
        schema = {"type": "string"}
        expected = {"reason": "input_required", "message": '{"two":2}', "response_schema": schema, "expires_in_ms": 5}
        self.assertEqual(raised.exception.question, expected)
        self.assertFalse(isinstance(raised.exception, Exception))

    def test_progress(self) -> None:
        """Progress is from 0 to 1; a text alone is its message."""
        calls: list[tuple[Any, ...]] = [(0.5, "half"), (1.0001,), (-0.0001,), ("working",), ()]
        found = self.frames_of(lambda: [self.context.progress(*given) for given in calls])
        self.assertEqual(
            [(frame["value"], frame["message"]) for frame in found],
            [(0.5, "half"), (1.0, None), (0.0, None), (None, "working"), (None, None)],
        )

    def test_refused(self) -> None:
        """What would be lost or cut in silence is an error that says what is taken."""
        for act, sentence in (
            (lambda: self.context.progress(50), "from 0 to 1, such as 0.5 for half, not 50"),
            (lambda: self.context.log("text", "bogus"), "debug, info, warn or error, not 'bogus'"),
            (lambda: self.context.usage(tokens=5), "input_tokens, output_tokens, cost_usd, not 'tokens'"),
            (lambda: self.context.usage(input_tokens="5"), "input_tokens is a str"),  # type: ignore[arg-type]
        ):
            with self.subTest(sentence=sentence), self.assertRaisesRegex((TypeError, ValueError), sentence):
                self.frames_of(act)
        levels = ["warning", "WARN", "critical", "debug"]
        found = self.frames_of(lambda: [self.context.log("text", level) for level in levels])
        self.assertEqual([frame["level"] for frame in found], ["warn", "warn", "error", "debug"])

    def test_state(self) -> None:
        """State is saved as text, and is the context's own from then on."""
        found = self.frames_of(lambda: [self.context.save_state("text"), self.context.save_state({"a": 1})])
        self.assertEqual([frame["state_snapshot"] for frame in found], ["text", ' {"a":1}'])
        self.assertEqual((self.context.state, self.context.state_snapshot), ({"a": 1}, ' {"a":1}'))

    def test_tool(self) -> None:
        """A tool call has a start and an end with one id, its result, or its error."""

        def act() -> None:
            with self.context.tool("search", {"q": 1}) as tool:
                tool.result = [1]
            with self.assertRaises(KeyError), self.context.tool("broken"):
                raise KeyError("gone")

        start, end, _, failed = self.frames_of(act)
        self.assertEqual((start["type"], start["name"], start["args"]), ("tool.start", "search", {"q": 1}))
        self.assertEqual((end["call_id"], end["result"], end["error"]), (start["call_id"], [1], None))
        self.assertEqual((failed["result"], failed["error"]), (None, "KeyError: 'gone'"))

    def test_artifact(self) -> None:
        """An artifact is given as text, bytes or the name of a file, and has the type of its name."""
        Path("table.csv").write_bytes(b"\xff")
        found = self.frames_of(
            lambda: [
                self.context.artifact("a.json", "{}"),
                self.context.artifact("table.csv"),
                self.context.artifact("sub/raw", b"x", mime="image/png"),
            ]
        )
        self.assertEqual(
            [(frame["name"], frame["mime"], frame["content"]) for frame in found],
            [("a.json", "application/json", "e30="), ("table.csv", "text/csv", "/w=="), ("raw", "image/png", "eA==")],
        )

    def test_helper(self) -> None:
        """`import runfleet` has what its type stub tells."""
        self.replace(sys, "modules", sys.modules)
        offer_helper()
        helper = sys.modules.pop("runfleet")
        stub = (Path(__file__).parents[3] / "runtime/python/runfleet.pyi").read_text()
        told = {node.name for node in ast.parse(stub).body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
        self.assertEqual({name for name in told if not callable(getattr(helper, name, None))}, set())
        self.assertGreater(len(told), 5)
        self.assertIsInstance(self.context, helper.Context)

    def test_usage(self) -> None:
        """Usage is finite: NaN has no JSON."""
        for count in (float("nan"), float("inf")):
            with self.assertRaisesRegex(ValueError, "finite"):
                self.context.usage(cost_usd=count)

    def test_parts_in_threads(self) -> None:
        """A thread that needs a part while another one loads it gets the whole part."""
        started, go = threading.Event(), threading.Event()
        found: list[bool] = []
        sys.modules["slow_part_events"] = (started, go)  # pyright: ignore[reportArgumentType]
        self.addCleanup(sys.modules.pop, "slow_part_events")
        with tempfile.TemporaryDirectory() as folder:
            code = "import sys\nstarted, go = sys.modules['slow_part_events']\nstarted.set()\ngo.wait()\nwhole = True\n"
            Path(folder, "slow_part.py").write_text(code)
            self.replace(_runfleet, "__path__", [*_runfleet.__path__, folder])
            threads = [
                threading.Thread(target=lambda: found.append(hasattr(load_part("slow_part"), "whole"))) for _ in "ab"
            ]
            threads[0].start()
            started.wait()
            threads[1].start()
            threads[1].join(0.2)  # One that doesn't wait is done by now.
            go.set()
            for thread in threads:
                thread.join()
        self.assertEqual(found, [True, True])
