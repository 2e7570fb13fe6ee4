from __future__ import annotations

import threading
from typing import Any

from _runfleet import daemon as daemons
from _runfleet.channel import channel
from _runfleet.context import Context, offer_helper
from support import RuntimeTest
from test_context import REQUEST


class InteractiveProcesses(RuntimeTest):
    def setUp(self) -> None:
        super().setUp()
        offer_helper()
        self.replace(channel, "write", daemons.write_with_run_id)
        self.replace(daemons.daemon, "interactive", True)

    def test_thread_left_over(self) -> None:
        """What a thread sends by its run's context is that run's, also when another run has begun."""
        go = threading.Event()
        left: list[threading.Thread] = []

        def work(context: Context) -> None:
            go.wait(10)
            context.save_state({"of": "one"})
            context.emit("late")
            with context.tool("search"):
                pass

        def first(context: Context) -> None:
            left.append(threading.Thread(target=work, args=(context,)))
            left[0].start()

        def second(context: Context) -> None:
            go.set()
            left[0].join()
            thread = threading.Thread(target=context.emit, args=("own",))
            thread.start()
            thread.join()

        def act() -> None:
            for run_id, function in (("one", first), ("two", second)):
                request: dict[str, Any] = {**REQUEST, "run_id": run_id}
                daemons.handle(function, request)

        self.assertEqual(
            [(frame["type"], frame["to"]) for frame in self.frames_of(act)],
            [
                ("result", "one"),
                *((type_, "one") for type_ in ("state", "custom", "tool.start", "tool.end")),
                ("custom", "two"),
                ("result", "two"),
            ],
        )
