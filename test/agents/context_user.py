# Uses all that the context offers, by key, by attribute and through the runfleet module.
import os

import runfleet
from runfleet import context as shared, emit


def main(input, context):
    assert shared is context and context["run_id"] == context.run_id
    emit("fact", {"n": 1})
    context.progress(0.5, "half")
    runfleet.progress(1)
    context.log("a note", level="warn")
    with context.tool("search", {"q": "x"}) as call:
        call.result = [1, 2]
    context.save_state("state-2")
    context.usage(input_tokens=3)
    files = {name: open(path).read() for name, path in context.files.items()}
    return {
        "history": context.history,
        "state": context.state,
        "files": files,
        "env": os.environ["API_KEY"],
        "metadata": context.metadata,
        "others": sorted(name for name in os.environ if name not in ("API_KEY", "PWD") and "THREADS" not in name),
    }
