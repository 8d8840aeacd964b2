"""JSON values: their canonical text and digests, and merge patches."""

from __future__ import annotations

import hashlib
from typing import Any

import rfc8785

from .errors import Invalid

Json = Any


def canonicalize(value: Json) -> bytes:
    """Returns the RFC 8785 text of a value. Raises ``Invalid`` for lone surrogates and integers beyond 2^53."""
    try:
        return rfc8785.dumps(value)
    except (rfc8785.CanonicalizationError, UnicodeEncodeError) as error:
        raise Invalid(f"The arguments have no canonical text: {error}") from error


def hash_json(value: Json) -> str:
    """Returns the SHA-256 of the canonical text of a value, in hexadecimal."""
    return hashlib.sha256(canonicalize(value)).hexdigest()


def compute_commitment(salt: str, raw_action_digest: str) -> str:
    """Returns the chain's commitment to a raw action: SHA-256 of ``["<salt>","rawAction","<digest>"]``."""
    return hash_json([salt, "rawAction", raw_action_digest])


def merge_patch(target: Json, patch: Json) -> Json:
    """Applies a JSON Merge Patch (RFC 7396) and returns the result; the target stays as it is."""
    if not isinstance(patch, dict):
        return patch
    merged = dict(target) if isinstance(target, dict) else {}
    for key, value in patch.items():
        if value is None:
            merged.pop(key, None)
        else:
            merged[key] = merge_patch(merged.get(key), value)
    return merged
