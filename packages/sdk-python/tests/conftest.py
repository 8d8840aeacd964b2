"""A real service, which the runner has started: it names its address, a person's session and an agent's key."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx
import pytest

URL = os.environ["ASSAY_TEST_URL"]
TOKEN = os.environ["ASSAY_TEST_TOKEN"]
KEY = os.environ["ASSAY_TEST_KEY"]
AGENT = os.environ["ASSAY_TEST_AGENT"]


class Person:
    """Decides about what waits."""

    def __init__(self) -> None:
        self._http = httpx.Client(base_url=URL, headers={"authorization": f"Bearer {TOKEN}"})

    def read(self, path: str) -> Any:
        answer = self._http.get(path)
        answer.raise_for_status()
        return answer.json()["data"]

    def decide(self, verdict: dict[str, Any], order: str) -> str:
        """Waits until an action about an order waits, then decides about it."""
        found = self.await_held(order)
        answer = self.answer(found, verdict)
        assert answer.status_code == 200, answer.text
        return found["traceId"]

    def await_held(self, order: str) -> Any:
        """Waits until an action about an order waits, and returns its item of the queue."""
        for _ in range(1_000):
            found = next((item for item in self.list_held() if order in str(item["action"])), None)
            if found:
                return found
            time.sleep(0.02)
        raise AssertionError("nothing waits")

    def list_held(self) -> list[Any]:
        items = self.read("/api/v1/review-queue?status=pending")
        return items["items"] if isinstance(items, dict) else items

    def answer(self, item: Any, verdict: dict[str, Any]) -> httpx.Response:
        body = {"actionDigest": item["actionDigest"], **verdict}
        return self._http.post(f"/api/v1/review-queue/{item['_id']}/decision", json=body)

    def limit(self, tool: str, most: float, kind: str = "block", of: str = "action.totalAmount") -> None:
        """Makes a policy that limits what the agent spends by a tool in a day."""
        limit = {"of": of, "per": "agent", "window": "24h", "most": most}
        conditions = [{"field": "outputDecision.action.tool", "operator": "equals", "value": tool}]
        actions = [{"type": kind, "config": {"limit": limit}}]
        body = {"name": f"Limit of {tool}", "conditions": conditions, "actions": actions}
        self._http.post("/api/v1/policies", json=body).raise_for_status()

    @contextmanager
    def halting(self) -> Iterator[None]:
        """Halts the agent of the tests; afterwards two people let it go on."""
        halted = self._http.post(
            "/api/v1/halts", json={"scope": "agent", "target": AGENT, "reason": "It pays twice"}
        ).raise_for_status()
        path = f"/api/v1/halts/{halted.json()['data']['id']}/resume"
        try:
            yield
        finally:
            asked = self._http.post(path, json={"to": "resumed"}).raise_for_status()
            confirmed = {"to": "resumed", "confirm": asked.json()["data"]["resumption"]["digest"]}
            second = {"authorization": f"Bearer {os.environ['ASSAY_TEST_SECOND_TOKEN']}"}
            assert self._http.post(path, json=confirmed, headers=second).status_code == 200


@pytest.fixture
def person() -> Person:
    return Person()


@pytest.fixture
def options() -> dict[str, Any]:
    return {"url": URL, "key": KEY, "agent": AGENT}
