"""The part of Runfleet that runs inside of a sandbox.

The modules import at their top only what Python has built in: each other import makes every start of a process slower.
"""

from __future__ import annotations

import _thread
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


# A module is in sys.modules before its code has run: another thread must not see it then.
loading: Any = _thread.RLock()


def load_part(name: str) -> Any:
    """Returns one of our modules that only some runs need. `import` doesn't find ours any more when the code runs."""
    full = f"{__name__}.{name}"
    with loading:
        if full not in sys.modules:
            spec: Any = sys.modules[__name__].__spec__
            finders: list[Any] = sys.meta_path
            ours = [spec.loader] if hasattr(spec.loader, "find_spec") else []
            finders[:0] = ours
            try:
                __import__(full)
            finally:
                for finder in ours:
                    finders.remove(finder)
        return sys.modules[full]
