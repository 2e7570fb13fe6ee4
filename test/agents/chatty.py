# Prints to both streams, yields, and returns a value.
import sys


def main(input, context):
    print("hello", input["name"])
    sys.stdout.write("no newline")
    yield {"step": 1}
    print("to stderr", file=sys.stderr)
    sys.stdout.buffer.write("bytes ✓\n".encode())
    yield "two"
    return {"done": True, "input": input}
