"""Makes our modules importable, and runs the `main` of one of them. This text is what `python -c` is started with.

Arguments: the module's name and a descriptor. On the descriptor come eight digits of length and as many bytes of
marshalled code, {module name: code}. So no sandbox needs to reach the project's files, and no run compiles them.
`main` is given the descriptor.
"""

import marshal
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import CodeType, ModuleType
    from typing import Any

ModuleSpec = sys.modules["_frozen_importlib"].ModuleSpec


def read(fd: int, length: int) -> bytes:
    data = b""
    while len(data) < length:
        part = os.read(fd, length - len(data))
        if not part:
            os._exit(0)  # The worker let this process go before it was needed.
        data += part
    return data


class Finder:
    """Finds our modules among those that were sent."""

    def __init__(self, modules: "dict[str, CodeType]") -> None:
        self.modules = modules

    def find_spec(self, name: str, *_: object) -> "Any":
        if name not in self.modules:
            return None
        return ModuleSpec(name, self, origin="<runfleet>", is_package=name == "_runfleet")

    def create_module(self, _: object) -> None:
        return None

    def exec_module(self, module: "ModuleType") -> None:
        exec(self.modules[module.__name__], module.__dict__)


def boot() -> None:
    name, fd = sys.argv[1], int(sys.argv[2])
    del sys.argv[1:]
    finder = Finder(marshal.loads(read(fd, int(read(fd, 8)))))
    finders: list[Any] = sys.meta_path
    finders.insert(0, finder)
    try:
        main = __import__("_runfleet." + name, fromlist=["main"]).main
    finally:
        finders.remove(finder)  # An agent's own imports don't use it.
    main(fd)


boot()
