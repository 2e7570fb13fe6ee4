from __future__ import annotations

import functools
import marshal
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import CodeType
from typing import Any

from compile import compile_module
from support import RUNTIME, RuntimeTest

MODULES = {path.stem: path.read_text() for path in Path(RUNTIME, "_runfleet").glob("*.py")}


def code_objects(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from code_objects(constant)


def run(source: str) -> dict[str, Any]:
    code: Any = compile_module("planted", source)
    names: dict[str, Any] = {}
    exec(code, names)
    return names


class WithoutTypes(RuntimeTest):
    def test_free(self) -> None:
        """Types cost a sandbox nothing: no module annotates or imports for them once it is compiled."""
        self.assertGreater(len(MODULES), 10)
        for name, source in MODULES.items():
            whole: Any = compile_module(name, source)
            for code in code_objects(whole):
                with self.subTest(module=name, code=code.co_name):
                    used = {*code.co_names, *code.co_varnames}
                    self.assertEqual(
                        used & {"__annotations__", "__annotate__", "__future__", "typing", "TYPE_CHECKING"}, set()
                    )

    def test_left_out(self) -> None:
        """What is for the type checker alone is left out, and all else is kept."""
        names = run(
            "from __future__ import annotations\nTYPE_CHECKING = False\nif TYPE_CHECKING:\n    import nothing\n"
            "a: Unknown = 1\nb: Unknown\n"
            "def f(x: Unknown, *y: Unknown, z: Unknown = 2) -> Unknown:\n    w: Unknown = x\n    return w, y, z\n"
            "async def g(x: Unknown) -> Unknown: ...\n"
            "class C(Unknown[int] if TYPE_CHECKING else dict): ...\n"
        )
        self.assertEqual((names["a"], names["f"](1, 5), issubclass(names["C"], dict)), (1, (1, (5,), 2), True))
        self.assertEqual((names["f"].__annotations__, names["g"].__annotations__), ({}, {}))
        self.assertEqual({"b", "TYPE_CHECKING", "annotations"} & set(names), set())

    def test_names_lines(self) -> None:
        """A compiled module has its own file name and lines, by which tracebacks leave it out."""
        code: Any = compile_module("planted", "x: int = 1\n\n\ndef f() -> None: ...")
        self.assertEqual(code.co_filename, "<runfleet planted>")
        self.assertEqual([inner.co_firstlineno for inner in code_objects(code)][1:], [4])


class Boot(RuntimeTest):
    def boot(self, modules: dict[str, str], name: str, *, cut: int = 0) -> subprocess.CompletedProcess[bytes]:
        data = marshal.dumps({key: compile_module(key, source) for key, source in modules.items()})
        sent = f"{len(data):08}".encode() + data + b"rest"
        program = Path(RUNTIME, "boot.py").read_text()
        argv = [sys.executable, "-I", "-S", "-c", program, name, "0"]
        return subprocess.run(argv, input=sent[: len(sent) - cut], capture_output=True, check=False)

    def test_started(self) -> None:
        """The named module's main gets the descriptor with what follows the code, and no importer stays behind."""
        main = (
            "import os, sys\ndef main(fd):\n    print(os.read(fd, 9), len(sys.argv), [type(f) for f in sys.meta_path])"
        )
        found = self.boot(
            {"_runfleet": "", "_runfleet.part": "", "_runfleet.a": "from _runfleet import part\n" + main}, "a"
        )
        self.assertEqual(found.stderr, b"")
        self.assertTrue(found.stdout.startswith(b"b'rest' 1"))
        self.assertNotIn(b"__main__.Finder", found.stdout)

    def test_let_go(self) -> None:
        """A process whose worker goes away before it has sent the code ends quietly."""
        found = self.boot({"_runfleet": "", "_runfleet.a": "def main(fd): print('started')"}, "a", cut=9)
        self.assertEqual((found.returncode, found.stdout, found.stderr), (0, b"", b""))

    def test_compiles_here(self) -> None:
        """The compiler reads sources as JSON, and writes code that this interpreter loads, to descriptor 3."""
        reader, writer = os.pipe()
        argv = [sys.executable, "-I", "-S", "-c", Path(RUNTIME, "compile.py").read_text()]
        sources = '{"_runfleet.a": "x: int = \'é😀\'"}'.encode()
        take_3 = functools.partial(os.dup2, writer, 3)
        subprocess.run(argv, input=sources, preexec_fn=take_3, close_fds=False, env={}, check=True)
        os.close(writer)
        with os.fdopen(reader, "rb") as file:
            code = marshal.load(file)
        names: dict[str, Any] = {}
        exec(code["_runfleet.a"], names)
        self.assertEqual(names["x"], "é😀")
