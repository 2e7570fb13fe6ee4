"""JSON of any value, without the `json` package, which imports `re` and so doubles the time of a start."""

# An agent's values are of any type.
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false, reportUnknownLambdaType=false

from __future__ import annotations

import _json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def plain(value: Any) -> Any:
    """Returns the nearest value that JSON can express, for a value that the encoder can't."""
    if isinstance(value, (bytes, bytearray, memoryview)):
        import binascii

        return {"$bytes": binascii.b2a_base64(bytes(value), newline=False).decode()}
    if isinstance(value, (set, frozenset)):
        return list(value)
    if type(type(value)).__name__ in ("EnumType", "EnumMeta"):
        return value.value
    if not isinstance(value, type):
        for method in ("model_dump", "dict", "to_dict", "isoformat"):
            if callable(getattr(value, method, None)):
                return getattr(value, method)()
        if hasattr(value, "__dict__") and not callable(value) and not isinstance(value, BaseException):
            return {name: item for name, item in vars(value).items() if not name.startswith("_")}
    return str(value)


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
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").encode()


class Options:
    strict, object_hook, object_pairs_hook, memo = True, None, None, {}
    parse_float, parse_int, parse_constant = float, int, float


options: Any = Options
scan = _json.make_scanner(options)


def parse(text: str) -> Any:
    return scan(text, 0)[0]
