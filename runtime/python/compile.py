"""Compiles the modules of `_runfleet` for this interpreter. A worker starts `python -c` with this text, once.

Reads {module name: source} as JSON from stdin, and writes {module name: code} to fd 3, marshalled. Leaves out what only
the type checker needs, so that types make no start of a process slower.
"""

from __future__ import annotations

import ast
import marshal
import os
import sys


class WithoutTypes(ast.NodeTransformer):
    """Leaves out annotations, `if TYPE_CHECKING` blocks, and the import that annotations need before Python 3.10."""

    def visit_function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> ast.AST:
        node.returns = None
        return self.generic_visit(node)

    visit_FunctionDef = visit_AsyncFunctionDef = visit_function

    def visit_arg(self, node: ast.arg) -> ast.AST:
        node.annotation = None
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST | None:
        if node.value is None:
            return None
        return ast.copy_location(ast.Assign([node.target], self.visit(node.value)), node)

    def visit_Assign(self, node: ast.Assign) -> ast.AST | None:
        return None if is_for_types(node.targets[0]) else self.generic_visit(node)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.AST | None:
        return None if node.module == "__future__" else node

    def visit_If(self, node: ast.If) -> ast.AST | None:
        return None if is_for_types(node.test) else self.generic_visit(node)

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        return self.visit(node.orelse) if is_for_types(node.test) else self.generic_visit(node)


def is_for_types(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id == "TYPE_CHECKING"


def compile_module(name: str, source: str) -> object:
    return compile(WithoutTypes().visit(ast.parse(source)), f"<runfleet {name}>", "exec", dont_inherit=True)


def main() -> None:
    sources = ast.literal_eval(sys.stdin.read())  # JSON of strings is a Python literal.
    code = {name: compile_module(name, source) for name, source in sources.items()}
    with os.fdopen(3, "wb") as file:
        file.write(marshal.dumps(code))


if __name__ == "__main__":
    main()
