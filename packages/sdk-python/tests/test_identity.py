"""Clients without a key: they exchange the token of their workload, renew the run token in time, and say what is refused."""

from __future__ import annotations

import asyncio
import json
import os
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import httpx
import pytest

from assay import Assay, AsyncAssay
from assay import identity as identities
from assay.errors import Invalid, Unauthorised, Unavailable
from assay.identity import IdentityService, file, github, kubernetes, token

URL = os.environ["ASSAY_TEST_URL"]
ISSUER = os.environ["ASSAY_TEST_ISSUER"]
MANY = 20


class Workload:
    """An agent that trusts a workload of a real issuer, whose tokens this reads."""

    def __init__(self) -> None:
        self.agent: str = httpx.post(f"{ISSUER}/agents").json()["agent"]
        self.audiences: list[str] = []

    def sign(self, **claims: str) -> str:
        return httpx.get(f"{ISSUER}/agents/{self.agent}/token", params=claims).text

    def read(self, audience: str) -> str:
        self.audiences.append(audience)
        return self.sign()

    async def read_slowly(self, audience: str) -> str:
        await asyncio.sleep(0.05)
        return self.read(audience)

    def count_runs(self) -> int:
        return int(httpx.get(f"{ISSUER}/agents/{self.agent}/runs").text)


@pytest.fixture
def workload() -> Workload:
    return Workload()


def connect(kind: Any, workload: Workload, identity: Any, **more: Any) -> Any:
    return kind(url=URL, agent=workload.agent, identity=identity, **more)


def test_one_run_token_serves_all_calls_of_all_threads(workload: Workload) -> None:
    client = connect(Assay, workload, token(workload.read))
    guarded = client.guard(lambda order: f"read {order}", tool="read_order")
    with ThreadPoolExecutor(MANY) as pool:
        done = list(pool.map(guarded, [f"A-{index}" for index in range(MANY)]))
    assert done == [f"read A-{index}" for index in range(MANY)]
    assert workload.audiences == [URL]
    assert workload.count_runs() == 1


def test_one_run_token_serves_all_coroutines_and_the_client_that_is_not_one(workload: Workload) -> None:
    client = connect(Assay, workload, token(workload.read_slowly, audience="https://assay.example"))

    async def read_order(order: str) -> str:
        return f"read {order}"

    guarded = client.guard(read_order)

    async def call_all() -> Any:
        return await asyncio.gather(*(guarded(f"A-{index}") for index in range(MANY)))

    assert asyncio.run(call_all()) == [f"read A-{index}" for index in range(MANY)]
    assert client.guard(lambda order: order, tool="read_order")("A-1") == "A-1"
    assert workload.audiences == ["https://assay.example"]
    assert workload.count_runs() == 1


def test_the_decision_is_that_of_the_agent(workload: Workload, person: Any) -> None:
    client = connect(Assay, workload, token(workload.read))
    assert client.guard(lambda order: order, tool="read_order")("A-1") == "A-1"
    (newest, *_) = person.read("/api/v1/traces?limit=1")
    assert newest["agentId"] == workload.agent


class Exchange(ThreadingHTTPServer):
    """Gives run tokens, or refuses as it is set to, and counts them."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Answer)
        self.status, self.made, self.pause = 200, 0, 0.0
        threading.Thread(target=self.serve_forever, daemon=True).start()
        self.service = IdentityService(f"http://127.0.0.1:{self.server_address[1]}", "a" * 24, 5.0)


class _Answer(BaseHTTPRequestHandler):
    server: Exchange

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("content-length", 0)))
        time.sleep(self.server.pause)
        self.server.made += self.server.status == 200
        body = {"access_token": f"svc_run_{self.server.made}", "expires_in": 900}
        content = json.dumps(body if self.server.status == 200 else {}).encode()
        self.send_response(self.server.status)
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture
def exchange() -> Iterator[Exchange]:
    made = Exchange()
    yield made
    made.shutdown()
    made.server_close()


class Clock:
    """The time of the identities, which a test lets pass."""

    monotonic = staticmethod(time.monotonic)

    def __init__(self) -> None:
        self.ahead = 0.0

    def time(self) -> float:
        return time.time() + self.ahead


@pytest.mark.parametrize("is_async", [False, True])
def test_a_run_token_is_renewed_at_two_thirds_of_its_life(
    exchange: Exchange, monkeypatch: pytest.MonkeyPatch, is_async: bool
) -> None:
    """And used to its end where that fails; then nothing is given."""
    clock = Clock()
    monkeypatch.setattr(identities, "time", clock)
    identity = token(lambda _: "a token")

    def after(seconds: float) -> str:
        clock.ahead += seconds
        return asyncio.run(identity.get_async(exchange.service)) if is_async else identity.get(exchange.service)

    assert [after(0), after(599), after(2)] == ["svc_run_1", "svc_run_1", "svc_run_2"]
    exchange.status = 503
    assert after(700) == "svc_run_2"
    with pytest.raises(Unavailable) as caught:
        after(201)
    assert caught.value.status == 503
    exchange.status = 200
    assert after(0) == "svc_run_3"


def test_who_is_cancelled_takes_the_token_away_from_nobody(exchange: Exchange) -> None:
    exchange.pause = 0.3
    identity = token(lambda _: "a token")

    async def cancel_the_first() -> str:
        first, second = (asyncio.ensure_future(identity.get_async(exchange.service)) for _ in range(2))
        await asyncio.sleep(0.1)
        first.cancel()
        return await second

    assert asyncio.run(cancel_the_first()) == "svc_run_1"
    assert exchange.made == 1


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
def test_a_forked_process_renews_by_itself(exchange: Exchange) -> None:
    exchange.pause = 0.5
    identity = token(lambda _: "a token")
    threading.Thread(target=identity.get, args=(exchange.service,), daemon=True).start()
    time.sleep(0.1)
    child = os.fork()
    if child == 0:
        os._exit(0 if identity.get(exchange.service).startswith("svc_run_") else 1)
    assert os.waitpid(child, 0)[1] == 0


def test_a_token_that_does_not_come_in_time_stops_the_call(exchange: Exchange) -> None:
    released = threading.Event()
    identity = token(lambda _: str(released.wait(30)))
    service = IdentityService(exchange.service.url, "a" * 24, 0.2)
    for get in (identity.get, lambda given: asyncio.run(identity.get_async(given))):
        began = time.monotonic()
        with pytest.raises(Unavailable, match="in time"):
            get(service)
        assert time.monotonic() - began < 5
    released.set()


def test_a_token_is_read_from_a_file(workload: Workload, tmp_path: Any) -> None:
    path = tmp_path / "token"
    path.write_text(f"{workload.sign()}\n")
    for identity in (file(path), kubernetes(str(path))):
        path.write_text(f"{workload.sign()}\n")
        client = connect(Assay, workload, identity)
        assert client.guard(lambda order: order, tool="read_order")("A-1") == "A-1"
    absent = connect(Assay, workload, kubernetes(tmp_path / "absent"))
    with pytest.raises(FileNotFoundError):
        absent.guard(lambda order: pytest.fail("it ran"), tool="read_order")("A-1")


def test_a_token_of_github_comes_from_its_job(workload: Workload, monkeypatch: pytest.MonkeyPatch) -> None:
    client = connect(Assay, workload, github(audience="https://assay.example"))
    guarded = client.guard(lambda order: order, tool="read_order")
    for name in ("URL", "TOKEN"):
        monkeypatch.delenv(f"ACTIONS_ID_TOKEN_REQUEST_{name}", raising=False)
    with pytest.raises(Invalid, match="id-token: write"):
        guarded("A-1")
    monkeypatch.setenv("ACTIONS_ID_TOKEN_REQUEST_URL", f"{ISSUER}/agents/{workload.agent}/job?api=2")
    monkeypatch.setenv("ACTIONS_ID_TOKEN_REQUEST_TOKEN", "another job")
    with pytest.raises(Unavailable, match="status 401"):
        guarded("A-1")
    monkeypatch.setenv("ACTIONS_ID_TOKEN_REQUEST_TOKEN", "job")
    assert guarded("A-1") == "A-1"


@pytest.mark.parametrize("kind", [Assay, AsyncAssay])
def test_a_refusal_says_why_and_nothing_is_done(workload: Workload, kind: Any) -> None:
    wrong = token(lambda _: workload.sign(aud="https://other.example"))
    guarded = connect(kind, workload, wrong).guard(lambda order: pytest.fail("it ran"), tool="read_order")
    with pytest.raises(Unauthorised, match="claim `aud`") as caught:
        asyncio.run(guarded("A-1")) if kind is AsyncAssay else guarded("A-1")
    assert caught.value.code == "invalid_request"
    with pytest.raises(Invalid, match="24 hex digits"):
        kind(url=URL, identity=wrong, agent="support-bot")


def test_no_service_gives_no_token(workload: Workload) -> None:
    client = Assay(url="http://127.0.0.1:9", agent=workload.agent, identity=token(lambda _: "a token"), timeout=2)
    with pytest.raises(Unavailable) as caught:
        client.guard(lambda order: pytest.fail("it ran"), tool="read_order")("A-1")
    assert caught.value.is_away
