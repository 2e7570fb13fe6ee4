"""Checks that a callback or a webhook was sent by the service."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import time
from collections.abc import Mapping
from typing import cast

from ._errors import WebhookError
from ._generated import WebhookMessage
from ._sse import is_number

_TOLERANCE = 300
"""A message may be so many seconds old, or ahead of our clock."""


def verify_webhook(body: str | bytes, headers: Mapping[str, str], secret: str) -> WebhookMessage:
    """Returns the message of a callback or a webhook. Raises WebhookError when the service didn't send it.

    `body`: the request's body as it came. `secret`: as `users.rotate_callback_secret` or `webhooks.create` gave it.
    The same message may come more than once: its `webhook-id` is the same.
    """
    lower = {name.lower(): value for name, value in headers.items()}
    ident, sent, given = (lower.get(f"webhook-{name}") for name in ("id", "timestamp", "signature"))
    if not ident or not sent or not given:
        raise WebhookError("The request has no webhook-id, webhook-timestamp or webhook-signature.")
    if not is_number(sent) or abs(time.time() - float(sent)) > _TOLERANCE:
        raise WebhookError("The time of the message is too far from now.")
    raw = body.encode() if isinstance(body, str) else body
    try:
        key = base64.b64decode(secret.removeprefix("whsec_"), validate=True)
    except binascii.Error:
        raise WebhookError("The secret is no base64.") from None
    if not key:
        raise WebhookError("The secret is empty.")
    digest = hmac.new(key, f"{ident}.{sent}.".encode() + raw, hashlib.sha256).digest()
    expected = b"v1," + base64.b64encode(digest)
    if not any(hmac.compare_digest(expected, signature.encode()) for signature in given.split(" ")):
        raise WebhookError("The signature is not of this secret.")
    return cast("WebhookMessage", json.loads(raw))
