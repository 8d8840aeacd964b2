"""Pydantic AI in its released version, with its own model for tests."""

from __future__ import annotations

import asyncio
import decimal
import enum
from typing import Any
from uuid import uuid4

import pytest
from behaviour import PROMPT, AdapterBehaviour, Call, Shop
from pydantic import BaseModel
from pydantic_ai import Agent, DeferredToolRequests, DeferredToolResults, ModelRetry, Tool
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.messages import (
    ModelMessage,
    ModelMessagesTypeAdapter,
    ModelResponse,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
)
from pydantic_ai.models.function import AgentInfo, FunctionModel

from assay import Assay, AsyncAssay
from assay.pydantic_ai import guard_capability


def make_model(turns: list[list[Call]]) -> FunctionModel:
    left = iter(turns)

    def answer(_messages: list[ModelMessage], _info: AgentInfo) -> ModelResponse:
        calls = [ToolCallPart(call.tool, call.arguments, call.id) for call in next(left, [])]
        return ModelResponse(calls or [TextPart("done")])

    return FunctionModel(answer)


def read_returns(messages: list[ModelMessage]) -> list[str]:
    return [str(part.content) for said in messages for part in said.parts if isinstance(part, ToolReturnPart)]


class TestPydanticAi(AdapterBehaviour):
    async def run_agent(self, client: AsyncAssay, tools: list[Any], turns: list[list[Call]]) -> list[str]:
        agent = Agent(make_model(turns), tools=tools, capabilities=[guard_capability(client)])
        return read_returns((await agent.run(PROMPT)).all_messages())


def run_guarded(options: Any, calls: list[Call], tool: Any, *others: Any, **more: Any) -> list[str]:
    agent = Agent(make_model([calls]), tools=[tool], capabilities=[guard_capability(Assay(**options)), *others])
    return read_returns(agent.run_sync("go", **more).all_messages())


def test_a_run_that_comes_back_repeats_no_call(options: Any) -> None:
    shop = Shop()
    look_up = shop.list_tools()[-1]
    call = Call("look_up", {"order": "A-1"})
    run_id = call.id
    assert run_guarded(options, [call], look_up, run_id=run_id) == ["found"]
    [again] = run_guarded(options, [call], look_up, run_id=run_id)
    assert "The call did not run" in again
    assert len(shop.ran) == 1


def test_a_tool_that_asks_for_another_try_is_asked_for_again_and_its_time_out_is_unknown(options: Any, person: Any) -> None:
    tries: list[str] = []

    async def ship(order: str) -> str:
        tries.append(order)
        if len(tries) == 1:
            raise ModelRetry("Say it in another way")
        await asyncio.sleep(60)
        return "late"

    calls = [[Call("ship", {"order": "A-2"})], [Call("ship", {"order": "A-2-again"})]]
    tool = Tool(ship, timeout=0.3, max_retries=2)
    agent = Agent(make_model(calls), tools=[tool], capabilities=[guard_capability(AsyncAssay(**options))])
    agent.run_sync("ship")
    rows = person.read("/api/v1/traces?limit=2")
    states = [person.read(f"/api/v1/traces/{row['traceId']}/executions")[0]["state"] for row in rows]
    assert (tries, states) == (["A-2", "A-2-again"], ["unknown", "failed"])


class Currency(str, enum.Enum):
    EUR = "EUR"
    USD = "USD"


class Line(BaseModel):
    item: str
    price: decimal.Decimal


@pytest.mark.parametrize("kind", [Assay, AsyncAssay])
def test_edited_arguments_have_the_types_of_the_tool(options: Any, person: Any, kind: Any) -> None:
    seen: list[Any] = []

    def issue_refund(order: str, currency: Currency, lines: list[Line]) -> str:
        seen.append((currency, lines))
        return "paid"

    call = Call("issue_refund", {"currency": "EUR", "lines": [{"item": "A", "price": "9.90"}]})
    call.arguments["order"] = call.id

    async def main() -> Any:
        agent = Agent(make_model([[call]]), tools=[issue_refund], capabilities=[guard_capability(kind(**options))])
        running = asyncio.ensure_future(agent.run("refund"))
        edits = {"arguments": {"currency": "USD", "lines": [{"item": "A", "price": "4.50"}]}}
        await asyncio.to_thread(person.decide, {"decision": "approve", "edits": edits}, call.id)
        return read_returns((await running).all_messages())

    assert asyncio.run(main()) == ["paid"]
    assert seen == [(Currency.USD, [Line(item="A", price=decimal.Decimal("4.50"))])]
    assert isinstance(seen[0][0], Currency)


def test_an_edit_that_the_tool_s_types_do_not_take_is_refused_before_it_is_claimed(options: Any, person: Any) -> None:
    seen: list[Any] = []

    def issue_refund(order: str, currency: Currency) -> str:
        seen.append(currency)
        return "paid"

    call = Call("issue_refund", {"currency": "EUR"})
    call.arguments["order"] = call.id

    async def main() -> Any:
        agent = Agent(make_model([[call]]), tools=[issue_refund], capabilities=[guard_capability(Assay(**options))])
        running = asyncio.ensure_future(agent.run("refund"))
        verdict = {"decision": "approve", "edits": {"arguments": {"currency": "a herring"}}}
        trace_id = await asyncio.to_thread(person.decide, verdict, call.id)
        return read_returns((await running).all_messages()), trace_id

    [told], trace_id = asyncio.run(main())
    assert "ACTION_CHANGED" in told
    assert seen == []
    assert person.read(f"/api/v1/traces/{trace_id}/executions") == []


def test_what_another_capability_makes_of_the_arguments_is_asked_for(options: Any, person: Any) -> None:
    class Doubled(AbstractCapability[Any]):
        async def before_tool_execute(self, ctx: Any, *, call: Any, tool_def: Any, args: Any) -> Any:
            return {**args, "order": f"{args['order']}-changed"}

    shop = Shop()
    call = Call("look_up", {"order": "A-3"})
    run_guarded(options, [call], shop.list_tools()[-1], Doubled())
    [row] = person.read("/api/v1/traces?limit=1")
    assert row["outputDecision"]["action"]["arguments"] == {"order": "A-3-changed"}
    assert shop.ran == [{"seen": "A-3-changed"}]


@pytest.mark.parametrize("decision", ["approve", "reject"])
def test_a_run_is_suspended_kept_and_goes_on(options: Any, person: Any, decision: str) -> None:
    shop = Shop()
    call = Call("issue_refund", {"amount": 90.0}, "call_0")
    call.arguments["order"] = order = f"A-{uuid4().hex[:8]}"

    def make_agent(turns: list[list[Call]]) -> Agent[None, Any]:
        hooks = guard_capability(Assay(**options), on_hold="suspend")
        tools = shop.list_tools()[:1]
        return Agent(make_model(turns), tools=tools, capabilities=[hooks], output_type=[str, DeferredToolRequests])

    def go_on(kept: bytes, asked: DeferredToolRequests) -> Any:
        approved = DeferredToolResults(approvals={each.tool_call_id: True for each in asked.approvals})
        history = ModelMessagesTypeAdapter.validate_json(kept)
        return make_agent([]).run_sync(message_history=history, deferred_tool_results=approved)

    stopped = make_agent([[call]]).run_sync("refund")
    held = person.await_held(order)
    assert stopped.output.metadata["call_0"]["assay"] == held["traceId"]
    # What the caller says is no approval.
    still = go_on(stopped.all_messages_json(), stopped.output)
    assert isinstance(still.output, DeferredToolRequests)
    assert shop.ran == []
    person.decide({"decision": decision}, order)
    told = read_returns(go_on(still.all_messages_json(), still.output).all_messages())
    assert ("paid" in told[-1]) == (decision == "approve")
    assert len(shop.ran) == (1 if decision == "approve" else 0)
    again = read_returns(go_on(still.all_messages_json(), still.output).all_messages())
    assert "did not run" in again[-1]
    assert len(shop.ran) == (1 if decision == "approve" else 0)
