"""An agent of SPIFFE: its JWT-SVID comes from a Workload API, and is exchanged for a run token."""

from __future__ import annotations

import asyncio
import os
import socket
import threading
from typing import Any

import pytest

from assay import Assay, AsyncAssay
from assay.errors import Invalid, Unauthorised, Unavailable
from assay.identity import spiffe
from assay.workload_api import _encode_field, _read_fields, fetch_jwt_svid

URL = os.environ["ASSAY_TEST_URL"]
AGENT = os.environ["ASSAY_TEST_AGENT"]
SOCKET = os.environ["ASSAY_TEST_WORKLOAD_API"]
AUDIENCE = "https://assay.example"


@pytest.mark.parametrize("kind", [Assay, AsyncAssay])
def test_a_workload_of_spiffe_is_the_agent(kind: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPIFFE_ENDPOINT_SOCKET", SOCKET)
    client = kind(url=URL, agent=AGENT, identity=spiffe(audience=AUDIENCE))
    guarded = client.guard(lambda order: f"read {order}", tool="read_order")
    assert (asyncio.run(guarded("A-1")) if kind is AsyncAssay else guarded("A-1")) == "read A-1"


def test_another_identity_of_the_workload_is_not_trusted() -> None:
    other = spiffe(SOCKET, spiffe_id="spiffe://octo.example/ns/payments/sa/report-bot", audience=AUDIENCE)
    guarded = Assay(url=URL, agent=AGENT, identity=other).guard(lambda order: pytest.fail("it ran"), tool="read_order")
    with pytest.raises(Unauthorised) as caught:
        guarded("A-1")
    assert caught.value.status == 400


def test_an_identity_that_it_has_not_is_refused() -> None:
    with pytest.raises(Unauthorised, match="no identity issued – ask your operator"):
        fetch_jwt_svid(SOCKET, AUDIENCE, "spiffe://octo.example/ns/other")


def test_a_socket_that_is_none(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    monkeypatch.delenv("SPIFFE_ENDPOINT_SOCKET", raising=False)
    guarded = Assay(url=URL, agent=AGENT, identity=spiffe()).guard(lambda order: pytest.fail("it ran"), tool="read_order")
    with pytest.raises(Invalid, match="SPIFFE_ENDPOINT_SOCKET"):
        guarded("A-1")
    with pytest.raises(Invalid, match="unix:///PATH"):
        fetch_jwt_svid("/run/agent.sock", AUDIENCE, None)
    with pytest.raises(Unavailable):
        fetch_jwt_svid(f"unix://{tmp_path}/absent", AUDIENCE, None)


def test_what_answers_something_else(tmp_path: Any) -> None:
    path = str(tmp_path / "other")
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(path)
    listening.listen()

    def answer() -> None:
        connection, _ = listening.accept()
        connection.recv(100)
        connection.sendall(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok")
        connection.close()

    threading.Thread(target=answer, daemon=True).start()
    with pytest.raises(Unavailable):
        fetch_jwt_svid(f"unix://{path}", AUDIENCE, None)
    listening.close()


def test_messages_are_read_and_those_that_are_cut_refused() -> None:
    text = "é" * 300
    message = b"\x18\x96\x01" + b"\x21" + bytes(8) + b"\x2d" + bytes(4) + _encode_field(2, text) + _encode_field(1, "other")
    assert [each.decode() for each in _read_fields(message, 2)] == [text]
    for cut in (b"\x0a", b"\x0a\x05abc", b"\xff" * 12, b"\x0b", b"\x21\x00"):
        with pytest.raises(ValueError):
            _read_fields(cut, 1)
