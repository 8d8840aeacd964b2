"""A real service, which the runner has started: it names its address, a person's session and an agent's key."""

from __future__ import annotations

import os
import time
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
        for _ in range(1_000):
            items = self.read("/api/v1/review-queue?status=pending")
            items = items["items"] if isinstance(items, dict) else items
            found = next((item for item in items if order in str(item["action"])), None)
            if found:
                body = {"actionDigest": found["actionDigest"], **verdict}
                answer = self._http.post(f"/api/v1/review-queue/{found['_id']}/decision", json=body)
                assert answer.status_code == 200, answer.text
                return found["traceId"]
            time.sleep(0.02)
        raise AssertionError("nothing waits")


@pytest.fixture
def person() -> Person:
    return Person()


@pytest.fixture
def options() -> dict[str, Any]:
    return {"url": URL, "key": KEY, "agent": AGENT}
