from __future__ import annotations

import json
import subprocess
import sys
import textwrap
import unittest
from typing import Any

from support import RUNTIME

# A process of one durable run, with a thread that answers as the worker does, but for a step "unanswered". It prints
# what its frames were.
DRIVER = """
import _thread, json, os, sys
sys.path.insert(0, {runtime!r})
frames_in, frames_out = os.pipe()
answers_in, answers_out = os.pipe()
from _runfleet.channel import channel
channel.fd = frames_out
frames = []
over = _thread.allocate_lock()
over.acquire()

def answer():
    for line in os.fdopen(frames_in):
        frame = json.loads(line)
        frames.append(frame)
        if frame["type"] == "step.end" and "retry_in_ms" not in frame and frame["name"] != "unanswered":
            os.write(answers_out, json.dumps({{"type": "kept", "key": frame["key"]}}).encode() + b"\\n")
        if frame["type"] == "over":
            over.release()
            return

_thread.start_new_thread(answer, ())
from _runfleet import steps
steps.begin_run("run", answers_in, json.loads({kept!r}))
returned = raised = None
try:
    {code}
    returned = main()
except BaseException as error:
    raised = [type(error).__name__, str(error)]
channel.write("over", {{}})
over.acquire()
print(json.dumps({{"returned": returned, "raised": raised, "frames": frames[:-1]}}, default=repr))
"""


class Outcome:
    def __init__(self, told: dict[str, Any]) -> None:
        self.returned, self.raised = told["returned"], told["raised"]
        self.frames: list[dict[str, Any]] = told["frames"]

    def of(self, type_: str) -> list[dict[str, Any]]:
        return [frame for frame in self.frames if frame["type"] == type_]

    @property
    def began(self) -> list[str]:
        return [frame["key"] for frame in self.of("step.start")]

    def kept(self, **more: Any) -> dict[str, Any]:
        """Returns the journal that a later attempt gets."""
        names = ("key", "kind", "name", "branch", "position", "args", "ok", "result", "error", "state", "usage")
        ended = [frame for frame in self.of("step.end") if "retry_in_ms" not in frame]
        entries = [{**{name: frame[name] for name in names if name in frame}, **more} for frame in ended]
        segments = [segment for frame in self.of("step.end") for segment in frame["closes"]]
        return {"entries": entries, "tries": [], "segments": segments, "waits": [], "count": len(entries)}


def run(code: str, kept: dict[str, Any] | None = None) -> Outcome:
    body = textwrap.indent(textwrap.dedent(code).strip(), "    ").strip()
    program = DRIVER.format(runtime=RUNTIME, kept=json.dumps(kept), code=body)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=20, check=False)
    if done.returncode != 0:
        raise AssertionError(done.stderr)
    return Outcome(json.loads(done.stdout.splitlines()[-1]))


class Steps(unittest.TestCase):
    def test_known(self) -> None:
        """What an earlier attempt has kept is not done again; other arguments are told and change nothing."""
        code = """
            def main():
                return [steps.run_step("add", lambda n: n + {more}, 1), steps.run_step("add", lambda: 2)]
        """
        first = run(code.format(more=1))
        self.assertEqual((first.returned, first.began), ([2, 2], ["main/add#1", "main/add#2"]))
        second = run(code.format(more=5), first.kept())
        self.assertEqual((second.returned, second.frames), ([2, 2], []))
        third = run(code.format(more=5).replace(", 1)", ", 7)"), first.kept())
        self.assertEqual(third.returned, [2, 2])
        self.assertIn("other arguments", third.of("log")[0]["message"])

    def test_branches(self) -> None:
        """Threads and tasks have places of their own, whoever is faster."""
        threads = run("""
            import threading, time
            def part(n):
                time.sleep(0.02 * (2 - n))
                steps.run_step("part", lambda: n)
            def main():
                all = [threading.Thread(target=part, args=(n,)) for n in range(2)]
                for one in all: one.start()
                for one in all: one.join()
        """)
        self.assertEqual(sorted(threads.began), ["main/part~1/part#1", "main/part~2/part#1"])
        tasks = run("""
            import asyncio
            async def part(n):
                await asyncio.sleep(0.02 * (2 - n))
                return await steps.run_step("part", lambda: n)
            async def both():
                return await asyncio.gather(part(0), part(1))
            def main():
                return asyncio.run(steps.prepare_async(both()))
        """)
        self.assertEqual(tasks.returned, [0, 1])
        self.assertEqual(tasks.began, ["main/part~2/part#1", "main/part~1/part#1"])

    def test_questions(self) -> None:
        """An answer is that of its question, whichever thread asks first. Those without a key go in order of asking."""
        code = """
            from concurrent.futures import ThreadPoolExecutor
            from _runfleet.branches import follow_imported
            from _runfleet.context import context
            follow_imported()
            def main():
                context["answers"] = {answers}
                with ThreadPoolExecutor(2) as pool:
                    asked = [pool.submit(context.interrupt, f"Pay {name}?") for name in "AB"]
                ends = [one.exception() or one.result() for one in asked]
                return [getattr(end, "question", end) for end in ends]
        """
        first = run(code.replace("{answers}", "[]"))
        keys = [question["key"] for question in first.returned]
        second = run(code.replace("{answers}", '["no"]'), {**first.kept(), "asked": keys[1:]})
        self.assertEqual([second.returned[0]["key"], second.returned[1]], [keys[0], "no"])
        third = run(code.replace("{answers}", '["no", "yes"]'), {**first.kept(), "asked": [keys[1], keys[0]]})
        self.assertEqual(third.returned, ["yes", "no"])
        older = run(code.replace("{answers}", '["one", "two"]'), first.kept())
        self.assertEqual(sorted(older.returned), ["one", "two"])

    def test_thread_beside_loop(self) -> None:
        """A thread that waits for the worker doesn't hang an event loop that begins to read, nor its question."""
        code = """
            import asyncio, threading
            from _runfleet.context import context
            async def number(n):
                return n
            async def add():
                return sum([await steps.run_step("n", number, n) for n in range(200)])
            async def ask():
                try:
                    context.interrupt("Go on?")
                except BaseException as error:
                    return type(error).__name__
            async def begin():
                wait = lambda: steps.run_step("unanswered", lambda: 0)
                threading.Thread(target=wait, daemon=True).start()
                while steps.journal.leader is None:
                    await asyncio.sleep(0.01)
                return await {then}()
            def main():
                context["answers"] = []
                return asyncio.run(steps.prepare_async(begin()))
        """
        self.assertEqual(run(code.format(then="add")).returned, 19_900)
        self.assertEqual(run(code.format(then="ask")).returned, "Interrupted")

    def test_second_loop(self) -> None:
        """A run that waits in a second event loop needs no process, however soon the first one was over."""
        code = """
            import asyncio, time
            from _runfleet.context import context
            async def begin():
                return await steps.run_step("a", lambda: 1)
            async def wait():
                await asyncio.wait([context.wait_for("go")])
            def tell():
                until = time.monotonic() + 2
                while time.monotonic() < until and not any(frame["type"] == "idle" for frame in frames):
                    time.sleep(0.01)
                print(json.dumps(dict(returned=None, raised=None, frames=frames)), flush=True)
                os._exit(0)
            def main():
                asyncio.run(steps.prepare_async(begin()))
                {then}
                _thread.start_new_thread(tell, ())
                asyncio.run(steps.prepare_async(wait()))
        """
        again = run(code.replace("{then}", ""), run(code.replace("{then}", "return")).kept())
        self.assertEqual([frame["type"] for frame in again.frames], ["wait.open", "idle"])

    def test_another_way(self) -> None:
        """Another step at a known place ends the run; over a copied journal the code goes on without it."""
        code = """
            def main():
                return [steps.run_step(name, lambda: name) for name in {names}]
        """
        kept = run(code.format(names=["a", "b", "c"])).kept()
        other = run(code.format(names=["a", "x", "c"]), kept)
        self.assertEqual((other.raised[0], other.began), ("Nondeterminism", []))
        self.assertIn("was 'b' in an earlier attempt and is step 'x' now", other.raised[1])
        for entry in kept["entries"]:
            entry["copied"] = True
        copied = run(code.format(names=["a", "x", "c"]), {**kept, "segments": []})
        self.assertEqual((copied.returned, copied.began), (["a", "x", "c"], ["main/x#1", "main/c#1"]))
        [told] = copied.of("replay.diverged")
        self.assertEqual((told["name"], told["before"], sorted(told["drops"])), ("x", "b", ["main/b#1", "main/c#1"]))
        self.assertEqual([frame["key"] for frame in copied.of("step.copied")], ["main/a#1"])

    def test_tries(self) -> None:
        """A step is tried as often as it says; some errors end the tries, and one says when the next begins."""
        outcome = run("""
            from _runfleet.step_values import NonRetryable, RetryAfter
            def flaky(step):
                if step.number == 1: raise OSError("busy")
                if step.number == 2: raise RetryAfter(0.01)
                raise NonRetryable("never")
            def main():
                steps.run_step("flaky", flaky, retry={"max_attempts": 9, "delay_ms": 5})
        """)
        self.assertEqual(outcome.raised, ["NonRetryable", "never"])
        ends = outcome.of("step.end")
        self.assertEqual([frame["try"] for frame in ends], [1, 2, 3])
        self.assertEqual([frame.get("retry_in_ms") for frame in ends], [5, 10, None])

    def test_values(self) -> None:
        """Values come back as they were, on the first attempt, too; what can't be kept names its place and the cure."""
        outcome = run("""
            import datetime
            def main():
                at = datetime.datetime(2026, 1, 2, tzinfo=datetime.timezone.utc)
                value = {"n": 2**70, "b": b"\\0", "t": (1, 2), "at": at, "$rf": "x"}
                kept = steps.run_step("kept", lambda: value)
                same = kept == {"n": 2**70, "b": b"\\0", "t": [1, 2], "at": at, "$rf": "x"}
                try:
                    steps.run_step("bad", lambda: {"total": {1: 2}})
                except Exception as error:
                    return [same, type(error).__name__, str(error)]
        """)
        same, name, message = outcome.returned
        self.assertEqual((same, name), (True, "ResultNotJSON"))
        self.assertRegex(message, r"^step 'bad' returned a dict with a key of type int at \$\.total, .* Return str")

    def test_surrogates(self) -> None:
        """Text with a lone surrogate is the same on each attempt, as a value and in an error; a key has none."""
        code = """
            def fail(): raise ValueError("caf\\udce9")
            def told(*args, **options):
                try:
                    return ascii(steps.run_step(*args, **options))
                except ValueError as error:
                    return ascii(str(error))
            def main():
                value = {"caf\\udce9": ["\\ud83d", "\\ude00", "\\ud83d\\ude00", "é"]}
                return [told("list", lambda: value), told("fail", fail), told("key", fail, key="caf\\udce9")]
        """
        first = run(code)
        value = r"{'caf\udce9': ['\ud83d', '\ude00', '\U0001f600', '\xe9']}"
        self.assertEqual(first.returned[:2], [value, r"'caf\ufffd'"])
        self.assertIn("key has no lone surrogates", first.returned[2])
        self.assertEqual(run(code, first.kept()).returned, first.returned)

    def test_typed(self) -> None:
        """A dataclass comes back with those in it, and without what its `__init__` doesn't take."""
        outcome = run("""
            import dataclasses
            from typing import Optional
            @dataclasses.dataclass
            class Part:
                n: int
            @dataclasses.dataclass
            class Whole:
                part: Part
                parts: list[Part]
                pair: "tuple[Part, ...]"
                maybe: Optional[Part] = None
                total: int = dataclasses.field(init=False)
                def __post_init__(self): self.total = self.part.n * 2
            def main():
                value = Whole(Part(1), [Part(2)], (Part(3), Part(4)), Part(5))
                return steps.run_step("whole", lambda: value, returns=Whole) == value
        """)
        self.assertEqual(outcome.returned, True)

    def test_generics(self) -> None:
        """A dataclass comes back with fields of generic types: bare, mappings, sequences, unions, annotated."""
        outcome = run("""
            import dataclasses
            from typing import Annotated, Dict, Generic, List, Mapping, Optional, Sequence, Tuple, TypeVar, Union
            T = TypeVar("T")
            @dataclasses.dataclass
            class Part:
                n: int = 0
            @dataclasses.dataclass
            class Box(Generic[T]):
                n: T
            @dataclasses.dataclass
            class Whole:
                bare: Dict
                items: List
                pair: Tuple
                small: tuple
                named: Mapping[str, Part]
                parts: Sequence[Part]
                either: Union[List[Part], Part, None]
                noted: Annotated[Part, "x"]
                box: Box[int]
                deep: Optional[Dict[str, List[Part]]] = None
            def main():
                value = Whole(
                    {"n": 1}, [{"n": 1}], (1, 2), (3,), {"n": Part(1)}, [Part(2)], [Part(3)], Part(4), Box(5),
                    {"a": [Part(6)]},
                )
                return steps.run_step("whole", lambda: value, returns=Whole) == value
        """)
        self.assertEqual((outcome.returned, outcome.raised), (True, None))

    def test_shared(self) -> None:
        """Values that refer to each other are looked through once."""
        outcome = run("""
            import dataclasses
            from typing import Any
            from _runfleet.step_values import has_secret
            @dataclasses.dataclass
            class Node:
                left: Any = None
                right: Any = None
            def main():
                node = Node()
                node.left = node.right = Node(node, node)
                found = [has_secret(node, set())]
                class Secret:
                    def get_secret_value(self): return "key"
                node.right = Secret()
                return [*found, has_secret(node, set())]
        """)
        self.assertEqual(outcome.returned, [False, True])

    def test_models(self) -> None:
        """A model comes back by its aliases; one that can't be made again, or hides a secret, fails its step."""
        outcome = run("""
            class Model:
                def __init__(self, **fields): self.fields = fields
                def model_dump(self, mode, by_alias, round_trip):
                    return {"invoiceId" if by_alias else "id": self.fields["id"]}
                @classmethod
                def model_validate(cls, value): return cls(id=value[cls.asked])
            class ByAlias(Model): asked = "invoiceId"
            class ByName(Model): asked = "id"
            class Lost(Model): asked = "gone"
            class Secret:
                def get_secret_value(self): return "key"
            def outcome_of(make):
                value = make()
                try:
                    return steps.run_step("model", lambda: value, returns=type(value)).fields["id"]
                except Exception as error:
                    return [type(error).__name__, str(error)]
            def main():
                makes = [lambda: ByAlias(id=1), lambda: ByName(id=2), lambda: Lost(id=3), lambda: ByName(id=Secret())]
                return [outcome_of(make) for make in makes]
        """)
        by_alias, by_name, lost, secret = outcome.returned
        self.assertEqual((by_alias, by_name), (1, 2))
        self.assertEqual((lost[0], secret[0]), ("ResultNotJSON", "ResultNotJSON"))
        self.assertIn("can't be made again", lost[1])
        self.assertIn("returned a secret", secret[1])

    def test_numbers(self) -> None:
        """What has no JSON is refused where the code gives it, and ends no run as a breach of the sandbox."""
        outcome = run("""
            from _runfleet.step_values import RetryAfter
            from _runfleet.context import context
            nan = float("nan")
            def told(act):
                try:
                    act()
                except Exception as error:
                    return str(error)
            def main():
                return [told(act) for act in (
                    lambda: steps.run_step("a", lambda: 1, retry={"delay_ms": -1}),
                    lambda: steps.run_step("a", lambda: 1, retry={"factor": nan}),
                    lambda: steps.run_step("a", lambda: 1, timeout_ms=nan),
                    lambda: RetryAfter(nan),
                    lambda: steps.run_step("a", lambda: context.usage(cost_usd=nan)),
                )]
        """)
        self.assertEqual([" number" in told for told in outcome.returned], [True] * 5)
        self.assertEqual([frame.get("usage") for frame in outcome.of("step.end")], [None])

    def test_delays(self) -> None:
        """RetryAfter takes what float() takes, and the longest delay may be infinite: a try waits for a day at most."""
        outcome = run("""
            from decimal import Decimal
            from _runfleet.step_values import RetryAfter
            def flaky(step):
                if step.number == 1: raise RetryAfter("0.01")
                if step.number == 2: raise RetryAfter(Decimal("0.02"))
            def main():
                steps.run_step("flaky", flaky, retry={"max_attempts": 9, "max_delay_ms": float("inf")})
                return steps.Retry({"max_attempts": 9}).delay_of(RetryAfter(float("inf")), 1)
        """)
        self.assertEqual([frame.get("retry_in_ms") for frame in outcome.of("step.end")], [10, 20, None])
        self.assertEqual(outcome.returned, 86_400)

    def test_processes(self) -> None:
        """RetryAfter of a step's other process says the same in the step's own."""
        outcome = run("""
            import pickle
            from _runfleet.step_values import RetryAfter
            def flaky(step):
                if step.number == 1: raise pickle.loads(pickle.dumps(RetryAfter(0.01, "busy")))
            def main():
                steps.run_step("flaky", flaky, retry={"max_attempts": 2})
        """)
        self.assertEqual(outcome.raised, None)
        ends = [(frame.get("retry_in_ms"), frame.get("error", {}).get("message")) for frame in outcome.of("step.end")]
        self.assertEqual(ends, [(10, "busy"), (None, None)])

    def test_lengths(self) -> None:
        """What is longer than a frame may be is refused, and nothing waits for it."""
        outcome = run("""
            from _runfleet.context import context
            def save():
                try:
                    context.save_state("x" * (13 << 20))
                except ValueError as error:
                    return type(error).__name__
            def main():
                saved = steps.run_step("save", save)
                try:
                    context.run_agent("other", {"text": "x" * (13 << 20)})
                except ValueError as error:
                    return [saved, str(error), steps.journal.count, list(steps.journal.durable)]
        """)
        expected: list[Any] = ["EventTooLarge", "run_agent()'s input has at most 3145728 bytes.", 1, []]
        self.assertEqual(outcome.returned, expected)

    def test_errors(self) -> None:
        """An error is caught as what it was, and as a StepFailed, live and from the journal alike."""
        code = """
            from _runfleet.step_values import StepFailed
            def fail(): raise LookupError("gone")
            def main():
                try:
                    steps.run_step("fail", fail)
                except LookupError as error:
                    return [isinstance(error, StepFailed), str(error)]
        """
        first = run(code)
        self.assertEqual((first.returned, run(code, first.kept()).returned), ([True, "gone"], [True, "gone"]))

    def test_error_classes(self) -> None:
        """An error whose class isn't made of a message alone is a StepFailed with its type and message."""
        code = """
            from _runfleet.step_values import StepFailed
            class Group(Exception):
                def __new__(cls, message, parts): return super().__new__(cls, message, parts)
                def __str__(self): return self.args[0]
            def fail(): raise Group("two failed", [ValueError("a"), ValueError("b")])
            def main():
                try:
                    steps.run_step("fail", fail)
                except StepFailed as error:
                    return [error.type, str(error)]
        """
        first = run(code)
        self.assertEqual((first.returned, first.raised), (["Group", "two failed"], None))
        self.assertEqual(run(code, first.kept()).returned, first.returned)

    @unittest.skipIf(sys.version_info < (3, 11), "Python has no error groups")
    def test_groups(self) -> None:
        """A step in whose task group a task fails is a StepFailed that names the group."""
        outcome = run("""
            import asyncio
            from _runfleet.step_values import StepFailed
            async def fail(): raise ValueError("no luck")
            async def both():
                async with asyncio.TaskGroup() as group:
                    group.create_task(fail())
            def main():
                try:
                    steps.run_step("both", both)
                except StepFailed as error:
                    return [error.type, str(error)]
        """)
        self.assertEqual(outcome.returned, ["ExceptionGroup", "unhandled errors in a TaskGroup (1 sub-exception)"])

    def test_times(self) -> None:
        """A time that its own text doesn't give back, as pandas' NaT, fails its step."""
        outcome = run("""
            import datetime
            class NaT(datetime.datetime):
                def isoformat(self): return "NaT"
            def main():
                try:
                    steps.run_step("at", lambda: {"at": NaT(2026, 1, 1)})
                except Exception as error:
                    return [type(error).__name__, str(error)]
        """)
        name, message = outcome.returned
        self.assertEqual(name, "ResultNotJSON")
        self.assertIn("NaT at $.at, which can't be kept", message)

    def test_exits(self) -> None:
        """`sys.exit` in a step fails it, live and from the journal alike. What isn't an error gives the step up."""
        code = """
            import sys
            def main():
                try:
                    steps.run_step("exits", lambda: sys.exit(2))
                except SystemExit as error:
                    return error.code
        """
        first = run(code)
        self.assertEqual((first.returned, run(code, first.kept()).returned), (2, 2))
        stopped = run("""
            def stop(): raise KeyboardInterrupt
            def main():
                try:
                    steps.run_step("stops", stop)
                except KeyboardInterrupt:
                    return steps.journal.in_flight
        """)
        self.assertEqual(stopped.returned, 0)

    def test_reports(self) -> None:
        """What a step has saved and used is reported again when a later attempt comes to the step."""
        code = """
            from _runfleet.context import context
            def work():
                context.save_state({"done": 1})
                context.usage(input_tokens=1)
                context.usage(input_tokens=3, cost_usd=1)
            def main():
                steps.run_step("work", work)
        """
        first = run(code)
        [end] = first.of("step.end")
        self.assertEqual((end["state"], end["usage"]), (' {"done":1}', {"input_tokens": 3, "cost_usd": 1}))
        again = run(code, first.kept())
        self.assertEqual(
            again.frames,
            [{"type": "state", "state_snapshot": ' {"done":1}'}, {"type": "usage", "input_tokens": 3, "cost_usd": 1}],
        )


def heard(outcome: Outcome) -> dict[str, list[str]]:
    """Returns, by their keys, the steps that came after a failure that their branch had heard of."""
    return {frame["key"]: frame["after"] for frame in outcome.of("step.end") if frame["after"]}


class Failures(unittest.TestCase):
    """What a branch did once it had heard of a failed step is done anew with it; what ran beside it stays."""

    def test_each_entry_tells(self) -> None:
        """A step whose try was cancelled leaves no entry: those beside it tell it, too."""
        outcome = run("""
            import asyncio
            async def part(n):
                return await steps.run_step("part", lambda: 1 // n)
            async def slow():
                await asyncio.sleep(5)
            async def late():
                await asyncio.sleep(0.05)
                raise ValueError("late")
            async def go():
                await asyncio.gather(part(0), part(1), return_exceptions=True)
                total = steps.run_step("total", lambda: 1)
                await asyncio.gather(steps.run_step("slow", slow), total, steps.run_step("late", late))
            def main():
                asyncio.run(steps.prepare_async(go()))
        """)
        part = ["main/part~1/part#1"]
        self.assertEqual(heard(outcome), {"main/total#1": part, "main/late#1": part})

    def test_ended_branches(self) -> None:
        """What began a branch and has ended itself hands on what it hears."""
        outcome = run("""
            import asyncio
            from concurrent.futures import ThreadPoolExecutor
            async def work():
                await asyncio.sleep(0.02)
                await steps.run_step("work", lambda: 1 // 0)
            async def begin(tasks):
                tasks.append(asyncio.create_task(work()))
            async def go():
                tasks = []
                await asyncio.create_task(begin(tasks))
                await asyncio.gather(*tasks, return_exceptions=True)
                await steps.run_step("told", lambda: 1)
            def main():
                asyncio.run(steps.prepare_async(go()))
                with ThreadPoolExecutor(2) as pool:
                    jobs = []
                    pool.submit(lambda: jobs.append(pool.submit(steps.run_step, "job", lambda: 1 // 0))).result()
                    jobs[0].exception()
                steps.run_step("last", lambda: 1)
        """)
        [task, job] = [frame["key"] for frame in outcome.of("step.end") if not frame["ok"]]
        self.assertEqual(heard(outcome), {"main/told#1": [task], job: [task], "main/last#1": [task, job]})

    def test_beside(self) -> None:
        """Jobs and threads that were begun beside a failed one came not after it, on a later attempt neither."""
        code = """
            import threading
            from concurrent.futures import ThreadPoolExecutor
            from _runfleet.branches import follow_imported
            follow_imported()
            def work(n):
                try:
                    steps.run_step("work", lambda: 1 // n)
                except ZeroDivisionError:
                    pass
            def main():
                with ThreadPoolExecutor(4) as pool:
                    list(pool.map(work, range(8)))
                all = [threading.Thread(target=work, args=(n,)) for n in range(8)]
                for one in all: one.start()
                steps.run_step("beside", lambda: 1)
                for one in all: one.join()
                steps.run_step("report", lambda: 1)
        """
        first = run(code)
        kept = first.kept()
        failed = [entry for entry in kept["entries"] if not entry["ok"]]
        [job, thread] = sorted(entry["key"] for entry in failed)
        for outcome in (first, run(code, {**kept, "entries": failed})):
            told = heard(outcome)
            self.assertEqual(told.pop("main/report#1"), [job, thread])
            # The threads were begun when the pool's jobs had ended, and `beside` while they ran.
            self.assertEqual({tuple(after) for after in told.values()}, {(job,)})
            self.assertIn("main/beside#1", told)

    def test_shared(self) -> None:
        """Whoever awaits what another branch has begun hears of its failure; who runs out of time hears of none."""
        outcome = run("""
            import asyncio
            async def fetch():
                await asyncio.sleep(0.02)
                raise ValueError("not now")
            async def part(profile):
                try:
                    await profile
                except ValueError:
                    pass
                await steps.run_step("part", lambda: 1)
            async def other():
                await asyncio.sleep(0.05)
                await steps.run_step("other", lambda: 1)
            async def go():
                profile = steps.run_step("profile", fetch)
                await asyncio.gather(part(profile), part(profile), other())
            def main():
                asyncio.run(steps.prepare_async(go()))
        """)
        profile = ["main/profile#1"]
        self.assertEqual(heard(outcome), {f"main/part~{n}/part#1": profile for n in (1, 2)})

    def test_threads_of_loops(self) -> None:
        """asyncio's code hears of what failed in a thread before it goes on."""
        outcome = run("""
            import asyncio
            def work(n):
                return steps.run_step("work", lambda: 1 // n)
            async def go():
                loop = asyncio.get_running_loop()
                jobs = [loop.run_in_executor(None, work, n) for n in range(3)]
                await asyncio.gather(*jobs, asyncio.to_thread(work, 1), return_exceptions=True)
                await steps.run_step("told", lambda: 1)
            def main():
                asyncio.run(steps.prepare_async(go()))
        """)
        [failed] = [frame["key"] for frame in outcome.of("step.end") if not frame["ok"]]
        self.assertEqual(heard(outcome), {"main/told#1": [failed]})
        awaited = run("""
            import asyncio
            from concurrent.futures import ThreadPoolExecutor, wait
            class Fast(ThreadPoolExecutor):
                def submit(self, *args):
                    job = super().submit(*args)
                    wait([job])
                    return job
            def work(n):
                try:
                    return steps.run_step("work", lambda: 1 // n)
                except ZeroDivisionError:
                    return 0
            async def use(job):
                await job
                await steps.run_step("use", lambda: 1)
            async def go():
                loop = asyncio.get_running_loop()
                jobs = []
                for pool in (None, None, Fast(), Fast(), Fast()):
                    jobs.append(loop.run_in_executor(pool, work, len(jobs) % 3))
                    await asyncio.sleep(0.05)
                await asyncio.create_task(use(jobs[3]))
            def main():
                asyncio.run(steps.prepare_async(go()))
        """)
        self.assertEqual(heard(awaited), {"main/use~1/use#1": ["main/work~4/work#1"]})

    def test_own_attributes(self) -> None:
        """An agent may give its tasks attributes of its own."""
        outcome = run("""
            import asyncio
            async def work():
                return await steps.run_step("work", lambda: 1)
            async def go():
                task = asyncio.create_task(work())
                task.branch = task.failures = "trunk"
                return await asyncio.gather(task)
            def main():
                return asyncio.run(steps.prepare_async(go()))
        """)
        self.assertEqual(outcome.returned, [1])
