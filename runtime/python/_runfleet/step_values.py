"""What a journal keeps: values and errors as text, so that they come back as they were."""

# An agent's values are of any type.
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false

from __future__ import annotations

import sys

from _runfleet.arguments import annotations_of, resolve
from _runfleet.encode_json import encode_plain, escape_surrogates, parse, without_surrogates

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

ENTRY_BYTES = 1 << 20  # The longest result of a step.
MESSAGE_CHARS = 8 * 1024
MARK = "$rf"  # The member that tells a value which JSON doesn't have from an object.
MAX_DEPTH = 60


class DurableError(Exception):
    """The base of what durable calls raise."""


class StepFailed(DurableError):
    """A step's error after its last try, live and on a later attempt alike. It is of the original class, too."""

    type = "Error"


class StepTimeout(DurableError):
    """A try of a step ran over its `timeout_ms`."""


class SignalTimeout(DurableError):
    """No signal came in the time that `wait_for` was given."""


class ChildFailed(DurableError):
    """A run that the code has started did not succeed, or could not be started.

    `run_id`; `status`: as it ended, or `refused`; `code`: of its error, or why it was not started.
    """

    run_id: str | None = None
    status: str | None = None
    code: str | None = None


class ResultNotJSON(DurableError):
    """A step returned a value that can't be kept."""


class ResultTooLarge(DurableError):
    """A step returned more than an entry of the journal may have."""


class JournalFull(DurableError):
    """The run's journal has as many entries, or bytes, as it may."""


class DuplicateKey(DurableError):
    """A `key` was used twice in one run."""


class DurableCallInStep(DurableError):
    """A durable call was made inside of a step."""


class NonRetryable(Exception):
    """Raised in a step: the step is not tried again."""


class RetryAfter(Exception):
    """Raised in a step: the step is tried again after so many seconds."""

    def __init__(self, seconds: float, message: str = "") -> None:
        super().__init__(message or f"Try again after {seconds} s.")
        self.seconds = float(seconds)
        if self.seconds != self.seconds:
            raise ValueError(f"RetryAfter's seconds is a number, not {seconds}.")

    def __reduce__(self) -> tuple[Any, ...]:
        # A step may raise it in another process, and Python would make it again of its message alone.
        return type(self), (self.seconds, str(self)), self.__dict__


def check_number(value: Any, what: str) -> None:
    """Refuses what is no finite number from 0 on. NaN and infinities have no JSON."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value < float("inf"):
        raise ValueError(f"{what} is a finite number from 0 on, not {value!r:.200}.")


CURE = "Return str, int, float, bool, None, list, dict, bytes or datetime, or say returns= a dataclass or a model."


def keep(value: Any, what: str) -> Any:
    """Returns a value as JSON can express it. Raises ResultNotJSON, which names the place and the cure."""
    return Keeper(what).convert(value, "$", 0)


class Keeper:
    def __init__(self, what: str) -> None:
        self.what = what

    def refuse(self, item: Any, place: str, why: str = "") -> ResultNotJSON:
        name = why or f"{type(item).__module__}.{type(item).__qualname__}".removeprefix("builtins.")
        return ResultNotJSON(f"{self.what} returned {name} at {place}, which can't be kept. {CURE}")

    def convert(self, item: Any, place: str, depth: int) -> Any:
        if item is None or item is True or item is False or type(item) is str or type(item) is int:
            return item
        if depth > MAX_DEPTH:
            raise self.refuse(item, place, "a value that is nested too deep or in itself")
        if isinstance(item, dict):
            return self.convert_dict(item, place, depth)
        if isinstance(item, (list, tuple)):
            return [self.convert(part, f"{place}[{index}]", depth + 1) for index, part in enumerate(item)]
        return self.convert_other(item, place)

    def convert_dict(self, item: dict[Any, Any], place: str, depth: int) -> Any:
        for key in item:
            if not isinstance(key, str):
                raise self.refuse(item, place, f"a dict with a key of type {type(key).__name__}")
        converted = {str(key): self.convert(part, f"{place}.{key}", depth + 1) for key, part in item.items()}
        return {MARK: "dict", "value": converted} if MARK in converted else converted

    def convert_other(self, item: Any, place: str) -> Any:
        if isinstance(item, float):
            if item - item != 0:
                raise self.refuse(item, place, f"{item}")
            return float(item)
        if isinstance(item, (str, int)) and type(type(item)).__name__ not in ("EnumType", "EnumMeta"):
            return str(item) if isinstance(item, str) else int(item)  # Of a class of their own.
        if isinstance(item, (bytes, bytearray)):
            import binascii

            return {MARK: "bytes", "value": binascii.b2a_base64(bytes(item), newline=False).decode()}
        datetime: Any = sys.modules.get("datetime")
        for kind in ("datetime", "date") if datetime else ():
            if isinstance(item, getattr(datetime, kind)):
                time: Any = item
                kept = {MARK: kind, "value": time.isoformat()}
                try:
                    restore(kept)
                except ValueError:  # Of a class of its own, such as pandas' NaT.
                    raise self.refuse(item, place) from None
                return kept
        raise self.refuse(item, place)


def encode(value: Any, what: str) -> str:
    """Returns a value as text. Raises ResultNotJSON or ResultTooLarge."""
    text = escape_surrogates("".join(encode_plain(keep(value, what), 0)))  # A frame would have other characters there.
    size = len(text) if text.isascii() else len(text.encode())
    if size > ENTRY_BYTES:
        raise ResultTooLarge(
            f"{what} returned {size} bytes; a step may return {ENTRY_BYTES}. "
            "Store the value elsewhere and return where it is."
        )
    return text


def decode(text: str | None) -> Any:
    if text is None:
        return None
    value = parse(text)
    return restore(value) if MARK in text else value


def restore(value: Any) -> Any:
    if isinstance(value, list):
        return [restore(item) for item in value]
    if not isinstance(value, dict):
        return value
    if MARK not in value:
        return {key: restore(item) for key, item in value.items()}
    kind, kept = value[MARK], value["value"]
    if kind == "dict":
        return {key: restore(item) for key, item in kept.items()}
    if kind == "bytes":
        import binascii

        return binascii.a2b_base64(kept)
    import datetime

    if kind == "datetime":
        return datetime.datetime.fromisoformat(kept.replace("Z", "+00:00"))
    return datetime.date.fromisoformat(kept)


def hash_of(args: tuple[Any, ...], kwargs: dict[str, Any]) -> str | None:
    """Returns a hash of a step's arguments; None where they can't be compared."""
    if not args and not kwargs:
        return None
    try:
        text = "".join(encode_plain(keep([list(args), kwargs], "a call"), 0))
    except Exception:
        return None
    if len(text) > ENTRY_BYTES:
        return None
    import hashlib

    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def typed_of(function: Any, returns: Any) -> Any:
    """Returns the class that a step's result is made of again: `returns`, or what the function's annotation names."""
    found = returns or annotations_of(function).get("return")
    known = isinstance(found, type) and (hasattr(found, "__dataclass_fields__") or hasattr(found, "model_validate"))
    return found if known else None


def encode_typed(value: Any, kind: Any, what: str) -> str:
    """Returns a step's result as text of which `kind` can be made again. Raises ResultNotJSON or ResultTooLarge."""
    if kind is None:
        return encode(value, what)
    if has_secret(value, set()):
        raise ResultNotJSON(
            f"{what} returned a secret, which isn't kept. Return what isn't one, or read it in each step."
        )
    fault: Any = None
    for by_alias in (True, False):
        text = encode(dump_typed(value, by_alias), what)
        try:
            load_typed(decode(text), kind)
            return text
        except Exception as error:
            fault = fault or error
    raise ResultNotJSON(f"{what} returned a {kind.__name__} that can't be made again of what is kept: {fault}")


def has_secret(value: Any, seen: set[int], depth: int = 0) -> bool:
    """True for a value in which something hides itself when it is shown, as pydantic's SecretStr does.

    `seen`: the ids of values that were looked at.
    """
    if depth > MAX_DEPTH or id(value) in seen:
        return False
    seen.add(id(value))
    if hasattr(value, "get_secret_value"):
        return True
    inner: Any = ()
    if isinstance(value, dict):
        inner = value.values()
    elif isinstance(value, (list, tuple)):
        inner = value
    elif hasattr(value, "model_dump"):
        inner = vars(value).values()
    elif hasattr(value, "__dataclass_fields__"):
        inner = [getattr(value, name, None) for name in value.__dataclass_fields__]
    return any(has_secret(part, seen, depth + 1) for part in inner)


def dump_typed(value: Any, by_alias: bool) -> Any:
    """Returns a model or a dataclass, and those in it, as dicts. Of a dataclass: what its `__init__` takes."""
    if hasattr(value, "model_dump"):
        return value.model_dump(mode="json", by_alias=by_alias, round_trip=True)
    if hasattr(value, "__dataclass_fields__") and not isinstance(value, type):
        fields = value.__dataclass_fields__.values()
        return {field.name: dump_typed(getattr(value, field.name), by_alias) for field in fields if takes(field)}
    if isinstance(value, dict):
        return {key: dump_typed(part, by_alias) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [dump_typed(part, by_alias) for part in value]
    return value


def takes(field: Any) -> bool:
    """True for a field that a dataclass's `__init__` takes and that its instances have."""
    return field.init and field._field_type.name == "_FIELD"


def load_typed(value: Any, kind: Any) -> Any:
    if kind is None or value is None:
        return value
    if hasattr(kind, "model_validate"):
        return kind.model_validate(value)
    return load_dataclass(value, kind) if isinstance(value, dict) else value


def load_dataclass(value: dict[str, Any], kind: Any) -> Any:
    scope = vars(sys.modules.get(kind.__module__, sys))
    hints = {name: resolve(field.type, scope) for name, field in kind.__dataclass_fields__.items()}
    return kind(**{name: load_hinted(part, hints.get(name)) for name, part in value.items()})


def load_hinted(value: Any, hint: Any) -> Any:
    """Returns a field's value as its annotation says: a model or a dataclass, also within a list, a tuple or a dict."""
    origin: Any = getattr(hint, "__origin__", None)
    args: Any = getattr(hint, "__args__", ())
    for kind in (hint, origin) if isinstance(value, dict) else ():
        if hasattr(kind, "__dataclass_fields__") or hasattr(kind, "model_validate"):
            return load_typed(value, kind)
    if isinstance(value, list) and tuple in (hint, origin):
        parts = args[:1] * len(value) if args[1:] == (...,) else args or (None,) * len(value)
        return tuple(map(load_hinted, value, parts))
    if not args or not isinstance(value, (dict, list)):
        return value
    from collections.abc import Iterable, Mapping

    if isinstance(origin, type) and issubclass(origin, Iterable):
        if isinstance(value, list):
            return [load_hinted(part, args[0]) for part in value]
        if issubclass(origin, Mapping):
            return {key: load_hinted(part, args[-1]) for key, part in value.items()}
        return value
    return load_first(value, args)


def load_first(value: Any, kinds: Any) -> Any:
    """Returns a value as the first of several kinds that takes it."""
    for kind in kinds:
        try:
            loaded = load_hinted(value, kind)
        except Exception:
            continue
        if loaded is not value:
            return loaded
    return value


def describe_error(error: BaseException) -> dict[str, Any]:
    kind = type(error)
    try:
        message = str(error)
    except Exception:
        message = "(its message can't be shown)"
    if isinstance(error, KeyError) and len(error.args) == 1 and isinstance(error.args[0], str):
        message = error.args[0]
    message = without_surrogates(message)  # As the frame has it, and so each later attempt.
    return {"type": kind.__qualname__[:200], "module": kind.__module__[:200], "message": message[:MESSAGE_CHARS]}


classes: dict[tuple[str, str], type[Exception]] = {}


def rebuild(error: dict[str, Any]) -> Exception:
    """Returns an error of the journal: a StepFailed that is of the original class, too, where that is there.

    `sys.exit` in a step is such an error, with its code: the agent's code may catch it.
    """
    name, module = str(error.get("type", "Error")), str(error.get("module", ""))
    if (module, name) not in classes:
        classes[module, name] = make_class(find_class(module, name), name)
    message = str(error.get("message", ""))
    try:
        rebuilt: Any = classes[module, name](message)
    except Exception:  # Its class isn't made of a message alone, as ExceptionGroup.
        classes[module, name] = StepFailed
        rebuilt = StepFailed(message)
    rebuilt.type = name
    if issubclass(classes[module, name], SystemExit):
        rebuilt.code = int(message) if message.isdecimal() else None if message in ("", "None") else message
    return rebuilt


def find_class(module: str, name: str) -> Any:
    found: Any = sys.modules.get(module)
    for part in name.split("."):
        found = getattr(found, part, None)
    return found if isinstance(found, type) and issubclass(found, (Exception, SystemExit)) else None


def make_class(original: Any, name: str) -> type[Exception]:
    if original is None:
        return StepFailed
    if issubclass(original, DurableError):
        return original
    members = {"__init__": set_message, "__str__": show_message, "__module__": original.__module__}
    try:
        return type(name, (StepFailed, original), members)
    except TypeError:  # Layouts that don't fit together.
        return StepFailed


def set_message(self: Exception, message: str) -> None:
    Exception.__init__(self, message)


def show_message(self: Exception) -> str:
    return str(self.args[0])
