from __future__ import annotations

import os
from pathlib import Path

from _runfleet.files import decode_content, directories_of, put_file, write_files
from support import RuntimeTest


class Files(RuntimeTest):
    def test_written(self) -> None:
        """Files are written with the directories that they are in; a later one replaces an earlier one."""
        write_files({"main.py": "old and longer", "a/b/c.txt": "é"})
        write_files({"main.py": "new", "empty": ""})
        self.assertEqual(Path("main.py").read_text(), "new")
        self.assertEqual(Path("a/b/c.txt").read_bytes(), "é".encode())
        self.assertEqual(Path("empty").read_bytes(), b"")

    def test_refused(self) -> None:
        """A path that leads out of the directory is refused, and nothing is written for it."""
        for name in ("../a", "/etc/a", "a//b", "a/../../b", "./a", "a/", "", ".", "a\0b"):
            with self.subTest(name=name), self.assertRaises(ValueError):
                write_files({name: "x"})
        self.assertEqual(os.listdir("."), [])

    def test_contents(self) -> None:
        """A data: URL gives bytes; text that only begins like one is text."""
        for content, expected in (
            ("data:application/octet-stream;base64,/wA=", b"\xff\0"),
            ("data:,a%20b", b"a b"),
            ("data: not a URL, but a sentence", b"data: not a URL, but a sentence"),
            ("data:nothing", b"data:nothing"),
            ("text, with a comma", b"text, with a comma"),
            ("\ud83d", b"?"),
        ):
            with self.subTest(content=content):
                self.assertEqual(decode_content(content), expected)

    def test_short_writes(self) -> None:
        """A file is written whole when the kernel takes a few bytes at a time."""
        write = os.write
        self.replace(os, "write", lambda fd, data: write(fd, data[:2]))  # pyright: ignore
        put_file("a", b"12345")
        self.assertEqual(Path("a").read_bytes(), b"12345")

    def test_directories(self) -> None:
        """The directories of files come deepest first, as they have to be removed."""
        self.assertEqual(directories_of(["a/b/c", "a/d", "e", "a/b/f"]), ["a/b", "a"])
