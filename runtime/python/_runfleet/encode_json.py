"""JSON of any value, without the `json` package, which imports `re` and so doubles the time of a start."""

# An agent's values are of any type.
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false, reportUnknownLambdaType=false

from __future__ import annotations

import _json
from itertools import islice

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


LISTS = ("deque", "dict_keys", "dict_values", "dict_items")
MOST_VALUES = 250_000  # The worker refuses a result with more. An iterator may have no end.


def plain(value: Any) -> Any:
    """Returns the nearest value that JSON can express, for a value that the encoder can't."""
    if isinstance(value, (bytes, bytearray, memoryview)):
        import binascii

        return {"$bytes": binascii.b2a_base64(bytes(value), newline=False).decode()}
    name = type(value).__name__
    if isinstance(value, (set, frozenset, range)) or name in LISTS:
        return list(value)
    if type(type(value)).__name__ in ("EnumType", "EnumMeta"):
        return value.value
    if name in ("NAType", "NaTType"):  # pandas' missing values.
        return None
    if name == "mappingproxy":
        return dict(value)
    if hasattr(value, "__next__"):
        raise TypeError("An iterator can be read once: `clean` does it.")
    if not isinstance(value, type):
        # `tolist` makes Python's own values of numpy's numbers and arrays, and of tensors.
        for method in ("model_dump", "dict", "to_dict", "isoformat", "tolist", "to_list"):
            if callable(getattr(value, method, None)):
                return getattr(value, method)()
        if hasattr(value, "__dataclass_fields__"):
            return {field: getattr(value, field) for field in value.__dataclass_fields__}
        if not callable(value) and not isinstance(value, BaseException):
            return attributes(value)
    return str(value)


def attributes(value: Any) -> Any:
    """Returns a mapping's items, or an object's public attributes; without any, what it has in it, or its text."""
    if callable(getattr(value, "keys", None)) and hasattr(value, "__getitem__"):
        return {key: value[key] for key in list(value.keys())}
    kind = type(value)
    shows_itself = kind.__str__ is not object.__str__ or kind.__repr__ is not object.__repr__
    if hasattr(value, "__dict__"):
        public = {name: item for name, item in vars(value).items() if not name.startswith("_")}
    elif shows_itself:
        return str(value)
    else:
        names = [name for each in kind.__mro__ for name in getattr(each, "__slots__", ()) if not name.startswith("_")]
        public = {name: getattr(value, name) for name in names if hasattr(value, name)}
    if public:
        return public
    if hasattr(value, "__iter__"):
        return list(islice(value, MOST_VALUES + 1))
    return str(value) if shows_itself else {}


def clean(value: Any, enclosing: tuple[int, ...] = ()) -> Any:
    """Returns a copy that JSON can express. NaN and infinities become null; cycles and odd keys become text."""
    if isinstance(value, float):
        return value if value - value == 0 else None
    if value is None or isinstance(value, (str, int)):
        return hex(value) if isinstance(value, int) and value.bit_length() > 1024 else value
    if id(value) in enclosing or len(enclosing) > 60:
        return "<circular>" if id(value) in enclosing else "<too deep>"
    enclosing += (id(value),)
    if isinstance(value, dict):
        return {key if isinstance(key, str) else str(key): clean(item, enclosing) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [clean(item, enclosing) for item in value]
    try:
        if hasattr(value, "__next__"):
            return [clean(item, enclosing) for item in islice(value, MOST_VALUES + 1)]
        return clean(plain(value), enclosing)
    except Exception as error:
        return f"<{type(value).__name__}: {type(error).__name__}>"


# Without markers, since `clean` finds cycles, and without NaN, which JSON doesn't have.
encode_plain = _json.make_encoder(None, plain, _json.encode_basestring, None, ":", ",", False, False, False)


def encode(value: Any) -> bytes:
    """Returns compact JSON in UTF-8. A lone surrogate, which UTF-8 can't express, becomes U+FFFD."""
    try:
        text = "".join(encode_plain(value, 0))
    except Exception:  # NaN, a cycle, an odd key, a failing model_dump: `clean` replaces them.
        text = "".join(encode_plain(clean(value), 0))
    try:
        return text.encode()
    except UnicodeEncodeError:
        return without_surrogates(text).encode()


def without_surrogates(text: str) -> str:
    """Returns a text with U+FFFD for each lone surrogate."""
    return text if text.isascii() else text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def escape_surrogates(json: str) -> str:
    """Returns the JSON of the same value, which UTF-8 can express."""
    try:
        json.encode()
        return json
    except UnicodeEncodeError:
        return "".join(f"\\u{ord(char):04x}" if 0xD800 <= ord(char) <= 0xDFFF else char for char in json)


class Options:
    strict, object_hook, object_pairs_hook, memo = True, None, None, {}
    parse_float, parse_int, parse_constant = float, int, float


options: Any = Options
scan = _json.make_scanner(options)


def parse(text: str) -> Any:
    return scan(text, 0)[0]
