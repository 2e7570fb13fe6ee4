"""Finds the file that an entrypoint names, and runs the file's code as Python itself would."""

# An agent's objects are of any type.
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false

from __future__ import annotations

import os
import sys

from _runfleet.encode_json import encode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ast import Module
    from collections.abc import Iterable
    from types import ModuleType
    from typing import Any


class NoEntrypoint(Exception):
    runfleet_code = "no_entrypoint"


class BadEntrypoint(Exception):
    runfleet_code = "bad_entrypoint"


CANDIDATES = ("main", "run", "agent", "graph", "crew", "app", "predict", "Predictor", "handler")
SHOWN_NAMES = 10
OTHER_FILES = ("js", "ts", "mjs", "cjs", "mts", "cts", "jsx", "tsx", "sh", "ipynb", "json", "toml", "txt")


class Code:
    """A parsed file. `package`: what relative imports start from. `script`: the file defines nothing to call."""

    def __init__(self, path: str, tree: Module, script: bool) -> None:
        self.path, self.tree, self.script = path, tree, script
        self.root, self.module_name = place_module(path, tree)
        is_package = os.path.basename(path) == "__init__.py"
        self.package = self.module_name if is_package else self.module_name.rpartition(".")[0]


def split_entrypoint(entrypoint: str) -> tuple[str, str]:
    """Returns the path and the name of `file.py`, `file.py:name`, `package.module:name`, `package` or `-m package`."""
    if not entrypoint:
        raise NoEntrypoint(describe_missing())
    where, _, name = entrypoint.partition(":")
    where = where.removeprefix("-m ").strip()
    if not where.endswith(".py"):
        return find_module(where, name), name
    path = os.path.normpath(where)
    if path.startswith(("..", "/")):
        raise BadEntrypoint(f"'{entrypoint}' is not like file.py or file.py:name.")
    if not os.path.isfile(path):
        raise BadEntrypoint(f"There is no file '{path}' among the agent's code.{others()}")
    return path, name


def find_module(dotted: str, name: str) -> str:
    parts = dotted.split(".")
    if not all(part.isidentifier() for part in parts) or parts[-1] in OTHER_FILES:
        raise BadEntrypoint(f"'{dotted}' is not like file.py, file.py:name or package.module:name.")
    base = dotted.replace(".", "/")
    ends = ("/__init__.py", ".py") if name else ("/__main__.py", ".py", "/__init__.py")
    looked = [os.path.join(root, base + end) for root in ("", "src") for end in ends]
    found = next((path for path in looked if os.path.isfile(path)), None)
    if found is None:
        tried = " or ".join(looked)
        raise BadEntrypoint(f"There is no module '{dotted}' among the agent's code: no {tried}.{others()}")
    return found


def own_files() -> list[str]:
    """Returns the Python files of the working directory, the shortest paths first."""
    found = [
        os.path.normpath(os.path.join(directory, name))
        for directory, _, names in os.walk(".")
        for name in names
        if name.endswith(".py")
    ]
    return sorted(found, key=lambda path: (path.count("/"), path))


def others() -> str:
    files = own_files()
    return f" There is: {', '.join(files[:SHOWN_NAMES])}." if files else ""


def describe_missing() -> str:
    files = own_files()
    if not files:
        return "The agent has no code: neither its config nor the run's files name any."
    shown = ", ".join(files[:SHOWN_NAMES])
    example = f'"entrypoint": "{files[0]}:main"'
    return f"The agent's config has no entrypoint. Its code is {shown}: name one, as in {example}."


def read_code(path: str, name: str) -> Code:
    with open(path, "rb") as file:
        tree: Any = compile(
            file.read(), os.path.abspath(path), "exec", 0x400, dont_inherit=True
        )  # ast.PyCF_ONLY_AST, without importing ast
    is_main = os.path.basename(path) == "__main__.py"
    return Code(path, tree, not name and (is_main or defined_names(tree.body).isdisjoint((*CANDIDATES, "*"))))


def place_module(path: str, tree: Any) -> tuple[str, str]:
    """Returns the directory that a file's imports start from, and the name of its module below that directory.

    A file is part of a package when its directory has an `__init__.py`, or when the file has relative imports.
    """
    directory, base = os.path.split(path)
    stem = base[: -len(".py")]
    top = directory
    while top and os.path.isfile(os.path.join(top, "__init__.py")):
        top = os.path.dirname(top)
    if top == directory and directory and has_relative_imports(tree):
        top = "src" if directory.split("/")[0] == "src" else ""
    inside = os.path.relpath(directory, top or ".") if directory else "."
    parts = [] if inside == "." else inside.split(os.sep)
    name = ".".join(parts if stem == "__init__" and parts else [*parts, stem])
    return top, name


def has_relative_imports(tree: Any) -> bool:
    """True when a module has `from . import`, in functions too."""
    import ast

    return any(isinstance(node, ast.ImportFrom) and node.level > 0 for node in ast.walk(tree))


def add_import_paths(code: Code) -> None:
    """Puts the agent's directories before Python's, as `python file.py` and `python -m` do."""
    cwd = os.getcwd()
    root = os.path.abspath(code.root)
    paths = [root, cwd] if root != cwd else [cwd]
    source = os.path.join(cwd, "src")
    if source not in paths and os.path.isdir(source):
        paths.append(source)
    sys.path[:0] = paths
    # A package's own directory comes last: its modules may be named like Python's.
    if code.package and (beside := os.path.abspath(os.path.dirname(code.path))) not in sys.path:
        sys.path.append(beside)


def execute(code: Code) -> ModuleType | None:
    """Runs a file's code. Returns its module, or None for a script, which has then ended."""
    add_import_paths(code)
    sys.argv = [code.path]
    full = os.path.abspath(code.path)
    is_package = code.package == code.module_name
    if code.package and not (is_package and not code.script):
        __import__(code.package)
    # The package itself may have imported the module.
    known = sys.modules.get(code.module_name) if code.package and not code.script else None
    if known is not None:
        return known
    module = make_module(code, full, is_package)
    exec(compile(code.tree, full, "exec", dont_inherit=True), module.__dict__)
    if code.script and "threading" in sys.modules:
        sys.modules["threading"]._shutdown()  # A script ends when its last thread ends.
    return None if code.script else module


def give_input(input: Any) -> None:
    """Makes stdin hold the input, as JSON on one line."""
    import io

    sys.stdin = io.TextIOWrapper(io.BytesIO(encode(input) + b"\n"), encoding="utf-8")


def make_module(code: Code, full: str, is_package: bool) -> ModuleType:
    module_name = code.module_name
    if code.script:
        module_name = "__main__"
    elif not code.package and module_name in sys.modules:
        module_name = f"agent_{module_name}"
    module = type(sys)(module_name)
    module.__file__ = full
    if code.package:
        module.__package__ = code.package
        if not code.script:
            spec: Any = sys.modules["_frozen_importlib"].ModuleSpec  # type: ignore[attr-defined]
            module.__spec__ = spec(module_name, None, origin=full, is_package=is_package)
        if is_package:
            module.__path__ = [os.path.dirname(full)]
    sys.modules[module_name] = module
    if code.package and not code.script and not is_package:
        setattr(sys.modules[code.package], module_name.rpartition(".")[2], module)
    return module


def defined_names(statements: Iterable[Any]) -> set[str]:
    """Returns the names that statements bind at a module's top level, also in nested blocks.

    What is no agent is left out: modules under their own names, a loop's variables, and what only a script binds.
    """
    names: set[str] = set()
    for statement in statements:
        kind = type(statement).__name__
        if kind in ("FunctionDef", "AsyncFunctionDef", "ClassDef"):
            names.add(statement.name)
            continue
        for alias in statement.names if kind in ("Import", "ImportFrom") else ():
            if alias.asname or kind == "ImportFrom":
                names.add(alias.asname or alias.name)
        targets = getattr(statement, "targets", [getattr(statement, "target", None)])
        for target in () if kind in ("For", "AsyncFor") else targets:
            names.update(item.id for item in getattr(target, "elts", [target]) if hasattr(item, "id"))
        for block in ("orelse",) if is_script_guard(statement) else ("body", "orelse", "finalbody"):
            names |= defined_names(getattr(statement, block, []))
        for handler in getattr(statement, "handlers", []):
            names |= defined_names(handler.body)
    return names


def is_script_guard(statement: Any) -> bool:
    """True for `if __name__ == "__main__":`."""
    test = getattr(statement, "test", None)
    sides = [getattr(test, "left", None), *getattr(test, "comparators", ())]
    is_equal = [type(operator).__name__ for operator in getattr(test, "ops", ())] == ["Eq"]
    said = {getattr(side, "id", None) or getattr(side, "value", None) for side in sides} if is_equal else set()
    return said == {"__name__", "__main__"}


NOTHING, ASSIGNMENT, ACT = range(3)


def activity_of(statements: Iterable[Any]) -> int:
    """Returns the most that statements do when a module runs: import and define, assign what a call returns, or act."""
    defining = ("FunctionDef", "AsyncFunctionDef", "ClassDef", "Import", "ImportFrom", "Pass", "Global")
    most = NOTHING
    for statement in statements:
        kind, value = type(statement).__name__, type(getattr(statement, "value", None)).__name__
        if kind in defining or (kind == "Expr" and value == "Constant"):
            continue
        if kind in ("Assign", "AnnAssign"):
            most = max(most, ASSIGNMENT if value in ("Call", "Await") else NOTHING)
        elif kind in ("If", "Try"):
            blocks = [getattr(statement, name, []) for name in ("body", "orelse", "finalbody")]
            blocks += [handler.body for handler in getattr(statement, "handlers", [])]
            most = max(most, *map(activity_of, blocks))
        else:
            return ACT
    return most


def refuse_idle_script(code: Code, said_something: bool) -> None:
    """Raises for a file that was run as a script and can't be one, since it only defines.

    A script that only assigns, such as `my_agent = Agent()`, can be one when it has said something.
    """
    body: Any = code.tree.body
    if activity_of(body) > (NOTHING if said_something else ASSIGNMENT):
        return
    defined = sorted(name for name in defined_names(body) if not name.startswith("_"))
    has = f" It has {', '.join(defined[:SHOWN_NAMES])}." if defined else ""
    raise NoEntrypoint(
        f"'{code.path}' has none of {', '.join(CANDIDATES[:-1])} or {CANDIDATES[-1]}, and does nothing by itself.{has}"
        f" Name its function `main`, or name it in the entrypoint: '{code.path}:{defined[0] if defined else 'main'}'."
    )
