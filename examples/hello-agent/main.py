"""A first agent: greets word by word, says how far it is, and returns what it counted."""

import time


def main(input, context):
    name = input.get("name", "world")
    words = f"Hello, {name}! This text is streamed from a sandbox, word by word.".split()
    for number, word in enumerate(words, 1):
        yield word + " "
        context.progress(number / len(words), f"word {number}")
        time.sleep(0.08)
    print("(prints are output, too)")
    return {"greeted": name, "words": len(words)}
