from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

from support import RUNTIME, SandboxTest, on_linux

# The module changes what its process is, so each try has a process of its own.
PROGRAM = """
import json, os, sys
sys.path.insert(0, sys.argv[1])
from _runfleet import load_ahead
load_ahead.SHARED_MEMORY = sys.argv[2]
os.environ["GIVEN"] = "1"
module, fault, names = load_ahead.load_agent(sys.argv[3], json.loads(sys.argv[4]))
plain = type(os.environ).__name__
os.write(4, json.dumps([module is not None, fault, names, plain, os.getcwd()]).encode())
"""


@on_linux
class LoadAhead(SandboxTest):
    def load(self, source: str, entrypoint: str = "main.py") -> tuple[bool, str | None, list[str]]:
        """Loads an agent. Returns (whether it was loaded, its fault, the variables that it read or set)."""
        reader, writer = os.pipe()
        os.set_inheritable(writer, True)
        shared = str(self.root / "shared")
        files = json.dumps({"main.py": source, "lib/part.py": "x = 1"})
        program = f"import os; os.dup2({writer}, 4); os.dup2(os.open('/dev/null', 1), 3)\n{PROGRAM}"
        argv = [sys.executable, "-I", "-B", "-c", program, RUNTIME, shared, entrypoint, files]
        found = subprocess.run(argv, pass_fds=[writer], capture_output=True, text=True, check=False)
        os.close(writer)
        with os.fdopen(reader) as file:
            answer = file.read()
        self.assertEqual((found.returncode, found.stderr), (0, ""))
        self.assertEqual(found.stdout, "")
        is_loaded, fault, names, plain, directory = json.loads(answer)
        if is_loaded:
            self.assertEqual((plain, directory), ("_Environ", os.getcwd()))
        return is_loaded, fault, names

    def test_shared(self) -> None:
        """A module that only defines things is shared; the variables that it reads or sets are told."""
        source = "import os\na = os.environ.get('GIVEN')\nos.environ['SET'] = '1'\ndef main(input): return a"
        self.assertEqual(self.load(source), (True, None, ["GIVEN", "SET"]))
        self.assertEqual(self.load("import os\na = dict(os.environ)\ndef main(input): return a")[2][0], "*")

    def test_faults(self) -> None:
        """A module that does what forks can't share is found out, by what it did."""
        for statement, fault in (
            ("print('hello')", "writes output"),
            ("sys.stderr.write('hello')", "writes output"),
            ("os.write(3, b'{}')", "writes output"),
            ("threading.Thread(target=time.sleep, args=(9,), daemon=True).start()", "starts threads"),
            ("kept = subprocess.Popen(['sleep', '0'])", "starts processes"),
            ("kept = open('/dev/null')", "opens files or connections"),
            ("kept = socket.socket()", "opens files or connections"),
            ("kept = mmap.mmap(-1, 4096)", "shares memory"),
            ("open('cache', 'w').close()", "writes files"),
            ("open('../tmp/cache', 'w').close()", "writes files"),
            ("os.unlink('lib/part.py')", "writes files"),
            ("{}['key']", "raises KeyError"),
            ("sys.exit(0)", "raises SystemExit"),
        ):
            with self.subTest(statement=statement):
                self.setUp()
                source = (
                    f"import mmap, os, socket, subprocess, sys, threading, time\n{statement}\ndef main(input): pass"
                )
                is_loaded, found, _ = self.load(source)
                self.assertEqual(found, f"it {fault} when it is imported")
                self.assertEqual(is_loaded, "raises" not in fault)

    def test_left_to_the_run(self) -> None:
        """A script, and code that can't be read, are left to each run, which says what is wrong."""
        nothing: Any = (False, None, [])
        self.assertEqual(self.load("print('script')"), nothing)
        self.assertEqual(self.load("def main(:"), nothing)
        self.assertEqual(self.load("def main(input): pass", "gone.py"), nothing)
        self.assertEqual(self.load("def main(input): pass", ""), nothing)

    def test_put_back(self) -> None:
        """A module that goes elsewhere or changes the umask leaves both as they were."""
        self.assertEqual(self.load("import os\nos.chdir('/')\nos.umask(0)\ndef main(input): pass"), (True, None, []))
