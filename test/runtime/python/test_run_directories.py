from __future__ import annotations

import os
import sys
from pathlib import Path

from support import SandboxTest, on_linux

if sys.platform == "linux":
    from _runfleet import run_directories
    from _runfleet.run_directories import NotClean, RunDirectories


@on_linux
class BetweenRuns(SandboxTest):
    def open(self, own: bool) -> RunDirectories:
        self.replace(run_directories, "SHARED_MEMORY", str(self.root / "shared"))
        found = RunDirectories(own)
        for fd in found.descriptors:
            self.addCleanup(os.close, fd)
        return found

    def left(self) -> list[str]:
        return sorted(str(path.relative_to(self.root)) for path in self.root.rglob("*"))

    def test_clean(self) -> None:
        """A run that left only the agent's own files leaves clean directories."""
        for own in (True, False):
            directories = self.open(own)
            Path("a").mkdir()
            Path("a/main.py").write_text("x")
            self.assertTrue(directories.remove_files(["a/main.py"], ["a"]))
            self.assertEqual(self.left(), ["root", "root/tmp", "root/work", "shared"])

    def test_left_behind(self) -> None:
        """A file in any directory that a run can write to is noticed and removed, however deep or closed it is."""
        for own in (True, False):
            for place in ("root/work", "root/tmp", "shared", "root"):
                with self.subTest(own=own, place=place):
                    directories = self.open(own)
                    deep = self.root / place / "x/y"
                    deep.mkdir(parents=True)
                    (deep / "file").write_text("x")
                    (deep / "link").symlink_to("/etc/passwd")
                    deep.chmod(0)
                    self.assertFalse(directories.remove_files([], []))
                    directories.empty_all()
                    self.assertEqual(self.left(), ["root", "root/tmp", "root/work", "shared"])

    def test_agent_file_replaced(self) -> None:
        """An agent's file that was replaced by a directory is noticed and removed."""
        directories = self.open(True)
        Path("main.py/sub").mkdir(parents=True)
        self.assertFalse(directories.remove_files(["main.py"], []))
        directories.empty_all()
        self.assertEqual(os.listdir("."), [])

    def test_changed(self) -> None:
        """Modes and times of a directory that a run can change are put back."""
        directories = self.open(False)
        os.chmod("../tmp", 0o711)
        os.utime(".", (5, 5))
        self.assertFalse(directories.remove_files([], []))
        directories.empty_all()
        self.assertTrue(directories.remove_files([], []))
        self.assertEqual(os.stat(".").st_mtime, 0)

    def test_too_much(self) -> None:
        """More files than a run leaves by accident end the sandbox."""
        self.replace(run_directories, "MAX_ENTRIES", 3)
        directories = self.open(True)
        for number in range(4):
            Path(str(number)).touch()
        with self.assertRaises(NotClean):
            directories.empty_all()

    def test_link_is_kept_out(self) -> None:
        """A link to a directory elsewhere is removed, and what it leads to is not."""
        directories = self.open(True)
        (self.root / "elsewhere").mkdir()
        (self.root / "elsewhere/file").touch()
        Path("link").symlink_to(self.root / "elsewhere")
        directories.empty_all()
        self.assertTrue((self.root / "elsewhere/file").exists())
