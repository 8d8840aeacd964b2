"""Asks the Workload API of SPIFFE for a JWT-SVID: one call of gRPC, whose messages have three members."""

from __future__ import annotations

import re
import struct
import time
from urllib.parse import unquote

import httpx

from . import errors

METHOD = "/SpiffeWorkloadAPI/FetchJWTSVID"
#: Seconds for a JWT-SVID.
TIMEOUT = 10.0
BYTES_MAX = 1024 * 1024
OK, PERMISSION_DENIED = "0", "7"
#: A frame of gRPC: whether its message is compressed, and its length.
FRAME = struct.Struct(">BI")
AUDIENCE, SPIFFE_ID = 1, 2
SVIDS, TOKEN = 1, 2


def fetch_jwt_svid(address: str, audience: str, spiffe_id: str | None) -> str:
    """Raises ``Unauthorised`` where the workload has none, ``Unavailable`` without an answer."""
    asked = _encode_field(AUDIENCE, audience) + (_encode_field(SPIFFE_ID, spiffe_id) if spiffe_id else b"")
    status, message, frame = _call(address, FRAME.pack(0, len(asked)) + asked)
    if status == PERMISSION_DENIED:
        raise errors.Unauthorised(message or "The workload has no identity", code="NO_SVID")
    svids = _decode_svids(frame) if status == OK else []
    if not svids:
        raise errors.Unavailable(f"The Workload API gives no JWT-SVID: status {status} {message}")
    return svids[0]


def _parse_address(address: str) -> tuple[str, str | None]:
    """The address of SPIFFE_ENDPOINT_SOCKET: a URL, and the path of a socket."""
    if path := re.fullmatch(r"unix:(?://)?(/.+)", address):
        return "http://localhost", path[1]
    if re.fullmatch(r"tcp://(\[[0-9a-fA-F:]+\]|[0-9.]+):\d+", address):
        return address.replace("tcp://", "http://"), None
    raise errors.Invalid(f"The Workload API is at unix:///PATH or tcp://IP:PORT: {address}")


def _call(address: str, frame: bytes) -> tuple[str, str, bytes]:
    """Status, message and body of an answer. A refusal has its status in the head; an answer with a body is none."""
    url, path = _parse_address(address)
    headers = {"content-type": "application/grpc", "te": "trailers", "workload.spiffe.io": "true"}
    ends = time.monotonic() + TIMEOUT
    body = b""
    try:
        transport = httpx.HTTPTransport(uds=path, http1=False, http2=True)
    except ImportError as error:
        raise errors.Invalid("SPIFFE needs the extra of this package: assay[spiffe]") from error
    try:
        with (
            httpx.Client(transport=transport, timeout=TIMEOUT) as client,
            client.stream("POST", url + METHOD, content=frame, headers=headers) as answer,
        ):
            for chunk in answer.iter_raw():
                body += chunk
                if len(body) > BYTES_MAX or time.monotonic() > ends:
                    raise errors.Unavailable("The Workload API does not come to an end", code="NO_ANSWER")
    except httpx.HTTPError as error:
        raise errors.Unavailable("The Workload API does not answer", code="NO_ANSWER") from error
    status = answer.headers.get("grpc-status", OK if body else f"HTTP {answer.status_code}")
    return status, unquote(answer.headers.get("grpc-message", "")), body


def _decode_svids(frame: bytes) -> list[str]:
    """The tokens of an answer, in its order."""
    is_whole = len(frame) >= FRAME.size and FRAME.unpack_from(frame) == (0, len(frame) - FRAME.size)
    try:
        if not is_whole:
            raise ValueError("no frame")
        svids = _read_fields(frame[FRAME.size :], SVIDS)
        return [token.decode() for svid in svids for token in _read_fields(svid, TOKEN)]
    except ValueError as error:
        raise errors.Unavailable("What answers is no Workload API", code="NOT_SPIFFE") from error


# Protocol Buffers: a field begins with its number and kind, and a text with its length.
VARINT, FIXED_64, DELIMITED, FIXED_32 = 0, 1, 2, 5
SIZES = {FIXED_64: 8, FIXED_32: 4}
VARINT_BYTES_MAX = 10


def _encode_field(number: int, text: str) -> bytes:
    content = text.encode()
    return bytes([number * 8 + DELIMITED]) + _encode_varint(len(content)) + content


def _encode_varint(value: int) -> bytes:
    return bytes([value]) if value < 128 else bytes([value % 128 + 128]) + _encode_varint(value // 128)


def _read_fields(message: bytes, number: int) -> list[bytes]:
    """The values of the field with this number that have a length; other fields are passed over."""
    found: list[bytes] = []
    at = 0
    while at < len(message):
        at, tag = _read_varint(message, at)
        kind = tag % 8
        if kind == VARINT:
            at, _ = _read_varint(message, at)
            continue
        if kind == DELIMITED:
            at, size = _read_varint(message, at)
        elif kind in SIZES:
            size = SIZES[kind]
        else:
            raise ValueError("no kind of field")
        if at + size > len(message):
            raise ValueError("a field that is cut")
        if kind == DELIMITED and tag // 8 == number:
            found.append(message[at : at + size])
        at += size
    return found


def _read_varint(message: bytes, at: int) -> tuple[int, int]:
    """Where the number ends, and the number."""
    value = 0
    for index, byte in enumerate(message[at : at + VARINT_BYTES_MAX]):
        value += (byte % 128) << (7 * index)
        if byte < 128:
            return at + index + 1, value
    raise ValueError("a number that does not end")
