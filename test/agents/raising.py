# Raises from a nested call, with a cause.
def inner(input):
    raise KeyError("missing")


def main(input):
    yield "before"
    try:
        inner(input)
    except KeyError as error:
        raise RuntimeError("it broke") from error
