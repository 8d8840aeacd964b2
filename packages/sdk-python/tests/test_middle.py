"""What answers is not Assay: sign-in pages, other services, cut and endless answers. Nothing runs unasked."""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from middle import WRONG, Middle, write

import assay
from assay import Assay, AsyncAssay

AWAY = {"no answer", "closed at once", "half a status line", "half of its headers", "headers without an end"}


@pytest.fixture
def middle() -> Iterator[Middle]:
    made = Middle()
    yield made
    made.close()


HEAD = b"HTTP/1.1 201 Created\r\ncontent-type: application/json\r\n"


def drip(peer: socket.socket, what: bytes) -> None:
    for _ in range(200):
        peer.sendall(what)
        time.sleep(0.02)


BROKEN: dict[str, Callable[[socket.socket], None]] = {
    "closed at once": lambda peer: None,
    "half a status line": lambda peer: peer.sendall(b"HTTP/1.1 2"),
    "no HTTP": lambda peer: peer.sendall(b"SSH-2.0-OpenSSH_9.6\r\n\r\n"),
    "half of its headers": lambda peer: peer.sendall(HEAD),
    "a body that is cut": lambda peer: peer.sendall(HEAD + b'content-length: 900\r\n\r\n{"success":true'),
    "headers without an end": lambda peer: (peer.sendall(HEAD), drip(peer, b"x-more: 1\r\n"))[1],
    "a body without an end": lambda peer: (peer.sendall(HEAD + b"\r\n"), drip(peer, b" "))[1],
    "no answer": lambda peer: time.sleep(4),
}


def guard(options: Any, url: str, kind: Any, **more: Any) -> Callable[[], Any]:
    """A call of a guarded function, which notes that it ran."""
    ran: list[str] = []
    client = kind(**{**options, "url": url, "timeout": 0.6, **more})
    guarded = client.guard(lambda order, amount: ran.append(order), tool="issue_refund")

    def call() -> Any:
        result = guarded("A-17", 90)
        if kind is AsyncAssay:
            asyncio.run(result)
        return ran

    call.ran = ran  # type: ignore[attr-defined]
    return call


@pytest.mark.parametrize("kind", [Assay, AsyncAssay])
@pytest.mark.parametrize("case", WRONG, ids=lambda case: case["name"])
def test_no_other_answer_lets_a_call_run(options: Any, middle: Middle, tmp_path: Any, case: Any, kind: Any) -> None:
    middle.answer = lambda peer: peer.sendall(write(case["answer"]))
    call = guard(options, middle.url, kind)
    with pytest.raises(assay.Unavailable) as caught:
        call()
    assert call.ran == []  # type: ignore[attr-defined]
    assert caught.value.is_away is case["isAway"]
    # On the record it runs where Assay is away, and only there.
    journal = assay.FileJournal(tmp_path / "journal.ndjson")
    lenient = guard(options, middle.url, kind, on_unavailable="allow", journal=journal)
    if case["isAway"]:
        assert lenient() == ["A-17"]
    else:
        with pytest.raises(assay.Unavailable):
            lenient()
        assert lenient.ran == []  # type: ignore[attr-defined]


@pytest.mark.parametrize("kind", [Assay, AsyncAssay])
@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_connection_lets_nothing_run_and_ends_in_time(options: Any, middle: Middle, name: str, kind: Any) -> None:
    middle.answer = BROKEN[name]
    call = guard(options, middle.url, kind)
    with pytest.raises(assay.Unavailable) as caught:
        call()
    assert call.ran == []  # type: ignore[attr-defined]
    assert (caught.value.code, caught.value.is_away) == (("NO_ANSWER", True) if name in AWAY else ("NOT_ASSAY", False))


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_takes_the_key_nowhere(options: Any, middle: Middle, status: int) -> None:
    other = Middle()
    location = f"location: {other.url}/api/v1/traces\r\n".encode()
    middle.answer = lambda peer: peer.sendall(b"HTTP/1.1 %d X\r\n%bcontent-length: 0\r\n\r\n" % (status, location))
    with pytest.raises(assay.Unavailable, match="is not Assay"):
        guard(options, middle.url, Assay)()
    assert other.received == []
    other.close()


def test_an_answer_beyond_its_bound_is_none(options: Any, middle: Middle) -> None:
    def answer(peer: socket.socket) -> None:
        peer.sendall(HEAD + b"\r\n" + b'{"success":true,"data":{"x":"')
        for _ in range(10):
            peer.sendall(b"x" * (1 << 20))
        peer.sendall(b'"}}')

    middle.answer = answer
    with pytest.raises(assay.Unavailable) as caught:
        guard(options, middle.url, Assay, timeout=10.0)()
    assert caught.value.code == "NOT_ASSAY"


def test_an_agent_that_is_no_agent_names_none(options: Any, middle: Middle) -> None:
    middle.answer = lambda peer: peer.sendall(write({"status": 200, "headers": {"content-type": "text/html"}, "text": "<p>"}))
    with pytest.raises(assay.AssayError):
        guard({**options, "agent": None}, middle.url, Assay)()
