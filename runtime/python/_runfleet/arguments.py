"""Calls an agent's function with what its parameters ask for."""

# An agent's objects are of any type.
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from _runfleet.context import Context

    Call = Callable[..., Any]

CONTEXT_NAMES = ("ctx", "context")
# A first parameter of these names gets the whole input, whatever other parameters there are.
INPUT_NAMES = ("input", "inputs", "payload", "input_payload", "data", "event", "request", "body", "params", "state")


class MissingArgument(TypeError):
    pass


class Parameters:
    """`positional`: names that can be given by position. `names`: names that can be given by keyword."""

    def __init__(
        self, positional: tuple[str, ...], names: tuple[str, ...], takes_any: bool, optional: tuple[str, ...]
    ) -> None:
        self.positional, self.names, self.takes_any, self.optional = positional, names, takes_any, optional


def parameters(function: Call) -> Parameters:
    """Returns a function's parameters. A plain function is read without `inspect`, which is slow to import."""
    bound = getattr(function, "__func__", None)
    plain: Any = bound or function
    code = getattr(plain, "__code__", None)
    if code and not hasattr(function, "__wrapped__") and not hasattr(function, "__signature__"):
        skip = 1 if bound else 0
        positional = code.co_varnames[skip : code.co_argcount]
        keyword = code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]
        defaults = len(plain.__defaults__ or ())
        optional = (*positional[len(positional) - defaults :], *(plain.__kwdefaults__ or ()))
        optional = optional if defaults or keyword else ()
        return Parameters(positional, positional + keyword, bool(code.co_flags & 0x08), optional)
    import inspect

    try:
        found = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return Parameters(("input",), ("input",), False, ())
    positional = tuple(p.name for p in found if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD))
    keyword = tuple(p.name for p in found if p.kind == p.KEYWORD_ONLY)
    optional = tuple(p.name for p in found if p.default is not p.empty)
    return Parameters(positional, positional + keyword, any(p.kind == p.VAR_KEYWORD for p in found), optional)


def is_async(function: Any) -> bool:
    """True for a coroutine function, also a method, a partial, or an object with such a `__call__`."""
    while hasattr(function, "func") and hasattr(function, "keywords"):  # functools.partial
        function = function.func
    code = getattr(getattr(function, "__func__", function), "__code__", None)
    if code is None and not isinstance(function, type):
        code = getattr(getattr(type(function), "__call__", None), "__code__", None)  # noqa: B004
    return bool(code and code.co_flags & 0x80)


def annotations_of(function: Call) -> dict[str, Any]:
    """Returns the annotations of a function's parameters. One that is text is resolved where that is possible."""
    plain: Any = function
    while hasattr(plain, "__wrapped__"):
        plain = plain.__wrapped__
    plain = getattr(plain, "__func__", plain)
    given = getattr(plain, "__annotations__", None) or {}
    scope = getattr(plain, "__globals__", {})
    return {name: resolve(annotation, scope) for name, annotation in given.items()}


def resolve(annotation: Any, scope: dict[str, Any]) -> Any:
    if not isinstance(annotation, str):
        return annotation
    try:
        return eval(annotation, scope)  # As typing.get_type_hints does, whose import is slow.
    except Exception:
        return annotation


def is_context(annotation: Any) -> bool:
    name = annotation if isinstance(annotation, str) else getattr(annotation, "__name__", "")
    return name.rpartition(".")[2] == "Context"


def takes_object(annotation: Any) -> bool:
    """True for an annotation that only an object fits: a dict, a TypedDict, a dataclass or a model."""
    origin = getattr(annotation, "__origin__", annotation)
    return origin is dict or has_fields(annotation) or hasattr(annotation, "__required_keys__")


def has_fields(annotation: Any) -> bool:
    return any(hasattr(annotation, name) for name in ("model_validate", "parse_obj", "__dataclass_fields__"))


def convert(annotation: Any, value: Any) -> Any:
    """Returns an object as the pydantic model or the dataclass that its parameter is annotated with."""
    if not isinstance(value, dict) or not isinstance(annotation, type):
        return value
    model: Any = annotation
    for method in ("model_validate", "parse_obj"):
        if hasattr(model, method):
            return getattr(model, method)(value)
    known = getattr(model, "__dataclass_fields__", None)
    return value if known is None else model(**{name: item for name, item in value.items() if name in known})


class Signature:
    """What a function's parameters ask for."""

    def __init__(self, function: Call) -> None:
        self.function = function
        self.found, self.annotations = parameters(function), annotations_of(function)
        self.contexts = [
            name for name in self.found.names if name in CONTEXT_NAMES or is_context(self.annotations.get(name))
        ]
        self.fields = [name for name in self.found.names if name not in self.contexts]

    def call(self, context: Context) -> Any:
        """Calls the function with the input and the context.

        A parameter `ctx`, `context` or annotated as Context gets the context. Of the others, a single one gets the
        whole input, or its field where it is annotated as text, a number or a list. Of several, each gets the input's
        field of its name, and a first one that is called `input` or annotated as an object gets the whole input where
        there is no such field. Of two without defaults, of which the input has none, the first gets the input and the
        second the context.
        """
        function, found, annotations, fields = self.function, self.found, self.annotations, self.fields
        input = context["input"]
        if not self.contexts and len(fields) == 2 and is_by_position(found, input):
            return function(convert(annotations.get(fields[0]), input), context)
        whole = fields[:1] if fields and gets_whole(fields, found, annotations, input) else []
        named = input if found.takes_any else fields
        given = {name: input[name] for name in named if name in input and name not in whole}
        missing = [name for name in fields if name not in given and name not in whole and name not in found.optional]
        if missing:
            raise MissingArgument(describe_missing(function, missing, input))
        given.update(dict.fromkeys(self.contexts, context))
        given = {name: convert(annotations.get(name), value) for name, value in given.items()}
        if not whole:
            return function(**given)
        value = convert(annotations.get(whole[0]), input)
        return function(value, **given) if found.positional[0] in whole else function(**{whole[0]: value}, **given)


def call(function: Call, context: Context) -> Any:
    return Signature(function).call(context)


def is_by_position(found: Parameters, input: Any) -> bool:
    """True for `def main(i, c)`: two parameters that only their places tell apart."""
    return len(found.positional) == 2 and not found.optional and not any(name in input for name in found.positional)


def gets_whole(fields: list[str], found: Parameters, annotations: dict[str, Any], input: Any) -> bool:
    first = fields[0]
    if first not in found.positional:
        return False
    if len(fields) == 1 and not found.takes_any:
        # `def main(name: str)` asks for a field: an input is always an object.
        asks_field = annotations.get(first) in (str, int, float, bool, list)
        return not asks_field or (first in INPUT_NAMES and first not in input)
    return first not in input and (first in INPUT_NAMES or takes_object(annotations.get(first)))


def describe_missing(function: Call, missing: list[str], input: Any) -> str:
    name = getattr(function, "__name__", "the agent's function")
    has = f"it has {', '.join(map(str, list(input)[:10]))}" if input else "it is empty"
    words = f"argument{'s' if len(missing) > 1 else ''} {', '.join(repr(one) for one in missing)}"
    return f"missing {words}: {name}() takes the input's fields by name, and the input doesn't have that: {has}."
