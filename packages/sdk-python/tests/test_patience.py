"""Many calls with a service that is slow, busy and silent now and then: each runs once, and says what became of it."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from uuid import uuid4

import httpx
import pytest

from assay import Assay, AsyncAssay
from assay.protocol import Protocol

CALLS = 40


class Gateway(ThreadingHTTPServer):
    """Passes requests on to the real service. ``disturb`` says what else happens to one, by its path and count."""

    daemon_threads = True
    request_queue_size = 512

    def __init__(self, target: str) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.url = f"http://127.0.0.1:{self.server_address[1]}"
        self.target = httpx.Client(base_url=target, timeout=120, limits=httpx.Limits(max_connections=None))
        self.counts: Counter[str] = Counter()
        self.lock = threading.Lock()
        self.disturb: Any = lambda handler, path, count: False
        threading.Thread(target=self.serve_forever, daemon=True).start()


class _Handler(BaseHTTPRequestHandler):
    server: Gateway
    protocol_version = "HTTP/1.1"

    def _pass_on(self) -> None:
        content = self.rfile.read(int(self.headers.get("content-length", 0)))
        name = f"{self.command} {self.path}"
        with self.server.lock:
            self.server.counts[name] += 1
            count = self.server.counts[name]
        if self.server.disturb(self, name, count):
            return
        kept = ("content-type", "x-api-key", "idempotency-key", "accept")
        headers = {name: value for name, value in self.headers.items() if name.lower() in kept}
        answer = self.server.target.request(self.command, self.path, content=content, headers=headers)
        self.reply(answer.status_code, answer.content, answer.headers)

    do_GET = do_POST = do_PATCH = _pass_on

    def reply(self, status: int, content: bytes, headers: Any) -> None:
        try:
            self.send_response(status)
            for name in ("content-type", "retry-after", "x-review-status", "idempotency-replayed"):
                if name in headers:
                    self.send_header(name, headers[name])
            self.send_header("content-length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)
        except OSError:
            self.close_connection = True

    def refuse_as_busy(self, seconds: int) -> None:
        body = {"success": False, "error": "Busy", "code": "RATE_LIMIT_EXCEEDED"}
        self.reply(429, json.dumps(body).encode(), {"content-type": "application/json", "retry-after": str(seconds)})

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture
def gateway(options: Any) -> Iterator[Gateway]:
    made = Gateway(options["url"])
    yield made
    made.shutdown()
    made.server_close()


def disturb_executions(handler: _Handler, name: str, count: int) -> bool:
    """Every claim and outcome is lost, refused or slower than its first attempt, before it arrives."""
    if "/executions" not in name:
        return False
    if count > 1:
        # Longer than the first attempt of a claim, and shorter than the second.
        time.sleep(4)
        return False
    if hash(name) % 2:
        handler.close_connection = True
        return True
    handler.refuse_as_busy(11)
    return True


def approve_all(person: Any, orders: set[str]) -> dict[str, str]:
    """Decides about every order, and returns their decisions."""
    decided: dict[str, str] = {}
    for _ in range(600):
        for item in person.list_held():
            order = next((each for each in orders if each in str(item["action"])), None)
            if order is not None and order not in decided:
                assert person.answer(item, {"decision": "approve"}).status_code == 200
                decided[order] = item["traceId"]
        if len(decided) == len(orders):
            return decided
        time.sleep(0.05)
    raise AssertionError(f"only {len(decided)} of {len(orders)} were held")


def await_all_states(person: Any, trace_ids: Any) -> Counter[str]:
    deadline = time.monotonic() + 90
    while True:
        states = Counter(str([row["state"] for row in person.read(f"/api/v1/traces/{each}/executions")]) for each in trace_ids)
        if set(states) == {"['succeeded']"} or time.monotonic() > deadline:
            return states
        time.sleep(1)


@pytest.mark.parametrize("kind", [Assay, AsyncAssay])
def test_many_approved_calls_all_run_once_and_say_so(options: Any, person: Any, gateway: Gateway, kind: Any) -> None:
    gateway.disturb = disturb_executions
    ran: list[str] = []
    failures: list[Exception] = []
    client = kind(**{**options, "url": gateway.url}, on_error=failures.append, wait=60)
    guarded = client.guard(lambda order: ran.append(order), tool="issue_refund")
    orders = {f"A-{uuid4().hex[:8]}" for _ in range(CALLS)}

    async def call_all() -> Any:
        approving = asyncio.ensure_future(asyncio.to_thread(approve_all, person, orders))
        await asyncio.gather(*(guarded(order) for order in orders))
        decided = await approving
        return await asyncio.to_thread(await_all_states, person, decided.values())

    if kind is AsyncAssay:
        states = asyncio.run(call_all())
    else:
        with ThreadPoolExecutor(CALLS) as pool:
            calls = [pool.submit(guarded, order) for order in orders]
            decided = approve_all(person, orders)
            for call in calls:
                call.result(120)
        states = await_all_states(person, decided.values())
    assert sorted(ran) == sorted(orders)
    assert states == {"['succeeded']": CALLS}
    assert failures == []


def test_what_was_begun_goes_on_though_others_met_silence(options: Any, person: Any, gateway: Gateway) -> None:
    """Three calls without an answer stop new calls, but no claim, outcome or withdrawal."""
    client = Assay(**{**options, "url": gateway.url, "timeout": 0.5})
    order = f"A-{uuid4().hex[:8]}"
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(client.guard(lambda order: order, tool="issue_refund"), order)
        item = person.await_held(order)
        protocol: Protocol = client._protocol
        protocol._open_until = time.monotonic() + 60
        person.answer(item, {"decision": "approve"})
        assert running.result(30) == order
    assert await_all_states(person, [item["traceId"]]) == {"['succeeded']": 1}
    protocol._open_until = 0.0
    other = f"A-{uuid4().hex[:8]}"
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(client.guard(lambda order: order, tool="issue_refund"), other)
        item = person.await_held(other)
        protocol._open_until = time.monotonic() + 60
        assert client.withdraw(item["traceId"]) is True
        with pytest.raises(Exception, match="withdrawn"):
            running.result(30)


def test_a_time_that_the_service_names_is_waited_for(options: Any, person: Any, gateway: Gateway) -> None:
    """A claim that was refused goes again after the time that was named, and no sooner."""
    asked: list[float] = []

    def disturb(handler: _Handler, name: str, count: int) -> bool:
        if not name.startswith("POST") or "/executions" not in name:
            return False
        asked.append(time.monotonic())
        if count <= 5:
            handler.refuse_as_busy(3)
        return count <= 5

    gateway.disturb = disturb
    order = f"A-{uuid4().hex[:8]}"
    assert Assay(**{**options, "url": gateway.url}).guard(lambda order: order, tool="ship")(order) == order
    assert len(asked) == 6
    assert min(later - sooner for sooner, later in zip(asked, asked[1:], strict=False)) >= 2.9
