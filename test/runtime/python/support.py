"""What several unit tests need."""

from __future__ import annotations

import json
import os
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any, Callable

RUNTIME = str(Path(__file__).parents[3] / "runtime" / "python")
on_linux = unittest.skipUnless(sys.platform == "linux", "a warm sandbox needs Linux")


class RuntimeTest(unittest.TestCase):
    """Runs each test in an empty directory, and puts attributes that it replaces back."""

    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.enter_directory(directory.name)

    def enter_directory(self, path: str) -> None:
        before = os.getcwd()
        os.chdir(path)
        self.addCleanup(os.chdir, before)

    def replace(self, owner: Any, name: str, value: Any) -> None:
        self.addCleanup(setattr, owner, name, getattr(owner, name))
        setattr(owner, name, value)

    def frames_of(self, act: Callable[[], object]) -> list[dict[str, Any]]:
        """Calls `act` with a file in place of fd 3. Returns the frames that it wrote."""
        from _runfleet.channel import channel

        with tempfile.TemporaryFile() as file:
            before = vars(channel).get("fd")
            channel.fd = file.fileno()
            try:
                act()
            finally:
                channel.fd = before if before is not None else 3
            file.seek(0)
            return [json.loads(line) for line in file.read().splitlines()]


class SandboxTest(RuntimeTest):
    """A test in directories like a sandbox's, on a tmpfs as there: the current one, `tmp` and shared memory."""

    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory(dir="/dev/shm")
        self.addCleanup(directory.cleanup)
        self.root = Path(directory.name)
        for name in ("root/work", "root/tmp", "shared"):
            (self.root / name).mkdir(parents=True)
        self.enter_directory(str(self.root / "root/work"))
