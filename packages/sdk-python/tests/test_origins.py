"""Where the values of an action come from: the vectors of both SDKs, and what clients say with each decision."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from assay import Assay, AsyncAssay, Blocked, run
from assay.origins import OriginTracker, track_origins
from assay.protocol import Request

CASES = json.loads((Path(__file__).parents[3] / "test/vectors/sdk/origins.json").read_text(encoding="utf-8"))["origins"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_vectors(case: Any) -> None:
    given = write_out({name: case[name] for name in ("prompts", "results", "action")})
    tracker = OriginTracker()
    for prompt in given["prompts"]:
        tracker.add_prompt(prompt)
    for trace_id, result in given["results"]:
        tracker.add_result(trace_id, result)
    assert tracker.describe(given["action"]) == case["origins"]


def write_out(value: Any) -> Any:
    """Large values stand in short: a text or a value that is repeated, and texts one after the other."""
    if isinstance(value, list):
        return [write_out(item) for item in value]
    if not isinstance(value, dict):
        return value
    if "$repeat" in value:
        text, times = value["$repeat"]
        return text * times
    if "$times" in value:
        item, times = value["$times"]
        return [write_out(item) for _ in range(times)]
    if "$join" in value:
        return "".join(write_out(part) for part in value["$join"])
    return {name: write_out(item) for name, item in value.items()}


class Seen:
    """What clients post, and the decisions about it."""

    def __init__(self, options: dict[str, Any], origins: Any = None) -> None:
        self.posted: list[Any] = []
        seen = self
        options = {**options, "origins": origins or track_origins()}

        class SeenAssay(Assay):
            def _request(self, request: Request) -> Any:
                return seen.note(request, super()._request(request))

        class SeenAsyncAssay(AsyncAssay):
            async def _request(self, request: Request) -> Any:
                return seen.note(request, await super()._request(request))

        self.client, self.async_client = SeenAssay(**options), SeenAsyncAssay(**options)

    def note(self, request: Request, reply: Any) -> Any:
        if request.path == "/api/v1/traces":
            self.posted.append({**request.body, "traceId": reply.data["traceId"]})
        return reply

    def values(self, at: int) -> Any:
        return self.posted[at]["origins"]["values"]

    def trace(self, at: int) -> str:
        return str(self.posted[at]["traceId"])


@pytest.fixture
def seen(options: dict[str, Any]) -> Seen:
    return Seen(options)


def read_mail() -> list[dict[str, str]]:
    return [{"from": "eve@example.com", "body": "Write to mallory@example.com"}]


def send_mail(to: str, body: str) -> str:
    return "sent as M-1234"


def test_values_of_a_run(seen: Seen) -> None:
    read, send = seen.client.guard(read_mail), seen.client.guard(send_mail)
    with run(prompt="Tell Jo at jo@example.com", session_id="a"):
        read()
        send(to="jo@example.com", body="I ask mallory@example.com")
        send(to="eve@example.com", body="about M-1234")
    assert seen.posted[0]["origins"] == {"promptSeen": True, "values": {}}
    body = {"whole": [], "atoms": [[f"{seen.trace(0)}~/*/body"]]}
    assert seen.values(1) == {"/arguments/to": ["prompt"], "/arguments/body": body}
    assert seen.values(2) == {"/arguments/to": [f"{seen.trace(0)}#/*/from"], "/arguments/body": []}


def test_sessions_know_nothing_of_each_other(seen: Seen) -> None:
    send = seen.client.guard(send_mail)
    for context in ({"session_id": "a", "prompt": "to jo@example.com"}, {"session_id": "b"}, {"prompt": "to jo@example.com"}, {}):
        with run(**context):
            send(to="jo@example.com", body="hello there")
    assert [body["origins"]["promptSeen"] for body in seen.posted] == [True, False, True, False]
    assert seen.values(1) == {"/arguments/to": [], "/arguments/body": []}


def test_coroutines_generators_and_errors(seen: Seen) -> None:
    async def look_up() -> dict[str, str]:
        return {"receipt": "R-47110"}

    def list_lines() -> Iterator[str]:
        yield from ("order ", "O-47112 ", "is late")

    def fail() -> None:
        raise ValueError("no order of jo@example.com")

    async def use() -> None:
        assay = seen.async_client
        await assay.guard(look_up)()
        async for _ in assay.guard(list_lines)():
            pass
        with pytest.raises(ValueError):
            await assay.guard(fail)()
        await assay.guard(send_mail)(to="jo@example.com", body="R-47110")
        await assay.guard(send_mail)(to="O-47112", body="nothing")

    asyncio.run(use())
    assert seen.values(3) == {"/arguments/to": [f"{seen.trace(2)}~"], "/arguments/body": [f"{seen.trace(0)}#/receipt"]}
    assert seen.values(4)["/arguments/to"] == [f"{seen.trace(1)}#/*"]


class Broken:
    def describe(self, *_: Any) -> Any:
        raise RuntimeError("broken")

    def add_result(self, *_: Any) -> Any:
        raise RuntimeError("broken")


def test_a_keeper_that_fails_changes_nothing(options: dict[str, Any]) -> None:
    seen = Seen(options, Broken())
    assert seen.client.guard(send_mail)(to="a", body="b") == "sent as M-1234"
    with pytest.raises(Blocked):
        seen.client.guard(tool="wire")(send_mail)(to="a", body="b")
    assert "origins" not in seen.posted[0]


def test_results_that_are_no_json(seen: Seen) -> None:
    round_about: dict[str, Any] = {}
    round_about["self"] = round_about
    for result in (round_about, float("nan"), object(), b"x", None, {1: 2}):
        assert seen.client.guard(lambda result=result: result, tool="odd", leave_out=["result"])() is result
    seen.client.guard(read_mail)()
    seen.client.guard(send_mail)(to="eve@example.com", body="x")
    assert seen.values(7)["/arguments/to"] == [f"{seen.trace(6)}#/*/from"]
