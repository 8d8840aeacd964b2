"""Checks the signature of a webhook delivery (Standard Webhooks 1.0.0) before its body is believed."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import time
from collections.abc import Mapping
from typing import Any

from .errors import Invalid

#: Seconds that a delivery's time stamp may be off.
TOLERANCE_SECONDS = 300


def verify(body: bytes | str, headers: Mapping[str, str], secret: str) -> dict[str, Any]:
    """Verifies a delivery and returns ``id``, ``event``, ``timestamp`` and ``data``.

    ``body`` is the raw body as it arrived. Raises ``Invalid`` when a header is missing, the time stamp is off, or no
    signature fits. Act on each ``id`` once.
    """
    found = {name.lower(): value for name, value in headers.items()}
    try:
        message_id, timestamp, signatures = (found[f"webhook-{name}"] for name in ("id", "timestamp", "signature"))
    except KeyError as error:
        raise _invalid(f"The header {error.args[0]} is missing") from None
    if not timestamp.isascii() or not timestamp.isdigit():
        raise _invalid("The time stamp is no number of seconds")
    if abs(time.time() - int(timestamp)) > TOLERANCE_SECONDS:
        raise _invalid("The time stamp is more than five minutes off")
    data = body.encode() if isinstance(body, str) else body
    expected = _sign(secret, f"{message_id}.{timestamp}.".encode() + data)
    given = [value.split(",", 1)[1] for value in signatures.split(" ") if value.startswith("v1,")]
    if not any(hmac.compare_digest(expected.encode(), value.encode()) for value in given):
        raise _invalid("No signature fits")
    event = json.loads(data)
    return {"id": message_id, **{name: event.get(name) for name in ("event", "timestamp", "data")}}


def _sign(secret: str, signed: bytes) -> str:
    try:
        key = base64.b64decode(secret.removeprefix("whsec_"), validate=True)
    except binascii.Error:
        raise _invalid("The secret is not the one that the service showed") from None
    return base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()


def _invalid(message: str) -> Invalid:
    return Invalid(message, code="WEBHOOK_INVALID")
