"""Anything that an agent hands over as JSON, without the `json` package (it imports `re`, which doubles the start-up)."""

# An agent's values are of any type.
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false, reportUnknownLambdaType=false

from __future__ import annotations

import _json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def plain(value: Any) -> Any:
    """The nearest thing that JSON can say, for what the encoder can't."""
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


def clean(value: Any, above: tuple[int, ...] = ()) -> Any:
    """A copy that JSON can say: NaN and infinities become null (as in JavaScript), loops and other keys become text."""
    if isinstance(value, float):
        return value if value - value == 0 else None
    if value is None or isinstance(value, (str, int)):
        return hex(value) if isinstance(value, int) and value.bit_length() > 1024 else value
    if id(value) in above or len(above) > 60:
        return "<circular>" if id(value) in above else "<too deep>"
    above += (id(value),)
    if isinstance(value, dict):
        return {key if isinstance(key, str) else str(key): clean(item, above) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [clean(item, above) for item in value]
    try:
        return clean(plain(value), above)
    except Exception as error:
        return f"<{type(value).__name__}: {type(error).__name__}>"


# No markers, since `clean` finds loops; no NaN, which JSON has not.
encode_plain = _json.make_encoder(None, plain, _json.encode_basestring, None, ":", ",", False, False, False)


def encode(value: Any) -> bytes:
    """Compact UTF-8 JSON. Half a surrogate pair, which UTF-8 has not, becomes U+FFFD."""
    try:
        text = "".join(encode_plain(value, 0))
    except Exception:  # NaN, a loop, an odd key, a failing model_dump: all that `clean` can name
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
