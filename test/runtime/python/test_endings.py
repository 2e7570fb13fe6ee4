from __future__ import annotations

from typing import Any

from _runfleet import channel, endings
from _runfleet.context import Interrupted
from _runfleet.endings import describe, ending_of, write_ending
from _runfleet.load_code import NoEntrypoint
from support import RuntimeTest


class Unprintable(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no text")


def raised_by(source: str, filename: str) -> BaseException:
    try:
        exec(compile(source, filename, "exec"), {})
    except BaseException as error:
        return error
    raise AssertionError("nothing was raised")


class Describe(RuntimeTest):
    def test_own_frames(self) -> None:
        """A traceback shows the agent's lines by their relative paths, and none of Runfleet's."""
        ours = compile("def call(act):\n    act()", "<runfleet _runfleet.call_agent>", "exec")
        names: dict[str, Any] = {}
        exec(ours, names)
        agent = compile("def main():\n    1 / 0", endings.WORK_DIRECTORY + "/main.py", "exec")
        exec(agent, names)
        try:
            names["call"](names["main"])
        except ZeroDivisionError as error:
            found = describe(error)
        else:
            self.fail("nothing was raised")
        self.assertEqual((found["error_type"], found["message"]), ("ZeroDivisionError", "division by zero"))
        self.assertIn('File "main.py", line 2, in main', found["traceback"])
        self.assertNotIn("<runfleet", found["traceback"])

    def test_causes(self) -> None:
        """A traceback shows what caused an error, also when errors cause each other in a circle."""
        error = raised_by("try:\n    {}['key']\nexcept KeyError as e:\n    raise ValueError('bad') from e", "main.py")
        found = describe(error)
        self.assertIn("KeyError: 'key'", found["traceback"])
        self.assertIn("ValueError: bad", found["traceback"])
        first, second = ValueError("first"), ValueError("second")
        first.__cause__, second.__cause__ = second, first
        self.assertEqual(describe(first)["message"], "first")

    def test_unprintable(self) -> None:
        """An error that can't be turned into text is described nevertheless."""
        self.assertEqual(describe(Unprintable())["message"], "(its message can't be shown)")

    def test_long(self) -> None:
        """A message and a traceback are cut at 64 Ki characters."""
        found = describe(ValueError("a" * 1_000_000))
        self.assertEqual((len(found["message"]), len(found["traceback"])), (64 * 1024, 64 * 1024))


class Endings(RuntimeTest):
    def test_kinds(self) -> None:
        """Each way to end gives its own last frame."""
        self.assertEqual(ending_of(Interrupted(message="sure?")), ("interrupt", {"message": "sure?"}))
        self.assertEqual(ending_of(SystemExit(None)), ("result", {"result_content": None}))
        self.assertEqual(ending_of(SystemExit(0)), ("result", {"result_content": None}))
        for error, code, error_type in (
            (SystemExit(3), "agent_error", "SystemExit"),
            (NoEntrypoint("none"), "no_entrypoint", "NoEntrypoint"),
        ):
            type_, fields = ending_of(error)
            self.assertEqual((type_, fields["code"], fields["error_type"]), ("error", code, error_type))
            self.assertIsNone(fields["traceback"])
        self.assertIn("ValueError: bad", ending_of(ValueError("bad"))[1]["traceback"])

    def test_too_long(self) -> None:
        """A result that is longer than a frame ends the run with an error that says so."""
        self.replace(channel, "LINE_BYTES", 200)
        self.replace(endings, "LINE_BYTES", 200)
        well: list[bool] = []
        found = self.frames_of(lambda: well.append(write_ending("result", {"result_content": "a" * 200})))
        self.assertEqual((well, [frame["error_type"] for frame in found]), ([False], ["ResultTooLarge"]))
        found = self.frames_of(lambda: well.append(write_ending("result", {"result_content": "a"})))
        self.assertEqual((well[1:], found), ([True], [{"type": "result", "result_content": "a"}]))
        self.frames_of(lambda: well.append(write_ending("error", {"message": "a"})))
        self.assertEqual(well[2:], [False])
