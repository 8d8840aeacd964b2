"""LangChain and LangGraph in their released versions: a middleware that asks for each call of a tool."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from uuid import uuid4

import pytest
from langchain.agents import create_agent
from langchain.tools import tool
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, ToolMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

from assay import Assay, AsyncAssay
from assay.langchain import guard_middleware

ran: list[dict[str, Any]] = []


@tool
def issue_refund(order: str, amount: float) -> str:
    """Pays money back."""
    ran.append({"order": order, "amount": amount})
    return f"paid {amount}"


@tool
def wire(order: str) -> str:
    """Wires money."""
    ran.append({"wire": order})
    return "wired"


class FakeModel(GenericFakeChatModel):
    """Says what a test wants."""

    def bind_tools(self, tools: Any, **more: Any) -> Any:
        return self


@pytest.fixture(autouse=True)
def fresh() -> None:
    ran.clear()


@pytest.fixture
def order() -> str:
    return f"A-{uuid4().hex[:8]}"


def refund(order: str, amount: float = 90.0) -> dict[str, Any]:
    return {"name": "issue_refund", "args": {"order": order, "amount": amount}, "id": f"call-{order}"}


def make_agent(calls: list[dict[str, Any]], hooks: Any, **more: Any) -> Any:
    model = FakeModel(messages=iter([AIMessage("", tool_calls=calls), AIMessage("done")]))
    return create_agent(model, [issue_refund, wire], middleware=[hooks], **more)


@tool
def look_up(order: str) -> str:
    """Looks an order up."""
    return f"found {order}"


def read_results(state: Any) -> list[ToolMessage]:
    return [message for message in state["messages"] if isinstance(message, ToolMessage)]


def test_a_held_call_waits_and_runs_once(options: Any, person: Any, order: str) -> None:
    agent = make_agent([refund(order)], guard_middleware(Assay(**options)))
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(agent.invoke, {"messages": [("user", "refund")]})
        trace_id = person.decide({"decision": "approve"}, order)
        [result] = read_results(running.result(30))
    assert result.content == "paid 90.0"
    assert ran == [{"order": order, "amount": 90.0}]
    assert [row["state"] for row in person.read(f"/api/v1/traces/{trace_id}/executions")] == ["succeeded"]


def test_a_blocked_call_is_a_message_and_does_not_stop_the_others(options: Any, person: Any, order: str) -> None:
    calls = [{"name": "wire", "args": {"order": order}, "id": "call-w"}, refund(order)]
    agent = make_agent(calls, guard_middleware(Assay(**options)))
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(agent.invoke, {"messages": [("user", "both")]})
        person.decide({"decision": "approve", "edits": {"arguments": {"amount": 45}}}, order)
        wired, paid = read_results(running.result(30))
    assert (wired.status, paid.content) == ("error", "paid 45.0")
    assert "SVC_BLOCKED_BY_POLICY" in str(wired.content)
    assert ran == [{"order": order, "amount": 45}]


def test_parallel_interrupts_get_their_own_verdicts_not_the_resumed_value(options: Any, person: Any, order: str) -> None:
    orders = [f"{order}-1", f"{order}-2"]
    hooks = guard_middleware(Assay(**options), on_hold="interrupt")
    agent = make_agent([refund(each) for each in orders], hooks, checkpointer=InMemorySaver())
    config: Any = {"configurable": {"thread_id": f"thread-{order}"}}
    state = agent.invoke({"messages": [("user", "both")]}, config)
    assert len(state["__interrupt__"]) == 2
    person.decide({"decision": "reject"}, orders[0])
    person.decide({"decision": "approve"}, orders[1])
    # What the caller resumes with says the contrary, and counts for nothing.
    answers = {item.id: {"approved": True} for item in state["__interrupt__"]}
    first, second = read_results(agent.invoke(Command(resume=answers), config))
    assert (first.status, second.content) == ("error", "paid 90.0")
    assert ran == [{"order": orders[1], "amount": 90.0}]


@pytest.mark.parametrize("kind", [Assay, AsyncAssay])
def test_ainvoke_takes_either_client(options: Any, person: Any, order: str, kind: Any) -> None:
    async def main() -> Any:
        agent = make_agent([refund(order)], guard_middleware(kind(**options)))
        running = asyncio.create_task(agent.ainvoke({"messages": [("user", "refund")]}))
        await asyncio.to_thread(person.decide, {"decision": "approve"}, order)
        return await running

    [result] = read_results(asyncio.run(main()))
    assert result.content == "paid 90.0"


@pytest.mark.parametrize("kind", [Assay, AsyncAssay])
def test_a_cancelled_ainvoke_leaves_nothing_that_runs_later(options: Any, person: Any, order: str, kind: Any) -> None:
    async def main() -> str:
        agent = make_agent([refund(order)], guard_middleware(kind(**options)))
        running = asyncio.create_task(agent.ainvoke({"messages": [("user", "refund")]}))
        held = await asyncio.to_thread(person.await_held, order)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        # A person who decides all the same reaches nothing.
        await asyncio.to_thread(person.answer, held, {"decision": "approve"})
        await asyncio.sleep(2)
        return held["traceId"]

    trace_id = asyncio.run(main())
    assert ran == []
    assert person.read(f"/api/v1/traces/{trace_id}/executions") == []
    assert person.read(f"/api/v1/traces/{trace_id}")["review"]["status"] == "withdrawn"


def test_an_id_that_comes_back_in_a_thread_is_another_call(options: Any, person: Any, order: str) -> None:
    call = {**refund(order), "id": "call_0"}
    said = iter([AIMessage("", tool_calls=[call]), AIMessage("", tool_calls=[call]), AIMessage("done")])
    hooks = guard_middleware(Assay(**options))
    agent = create_agent(FakeModel(messages=said), [issue_refund], middleware=[hooks], checkpointer=InMemorySaver())
    config: Any = {"configurable": {"thread_id": f"thread-{order}"}}
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(agent.invoke, {"messages": [("user", "refund")]}, config)
        asked = {person.decide({"decision": "approve"}, order) for _ in range(2)}
        running.result(30)
    assert (len(asked), len(ran)) == (2, 2)


def test_a_decision_says_what_the_run_has_used_since_the_last_one_that_let_a_call_go_on(options: Any, person: Any, order: str) -> None:
    def say(*names: str, tool: str = "look_up", **more: Any) -> AIMessage:
        usage: Any = {"input_tokens": 8, "output_tokens": 2, "total_tokens": 10}
        calls: Any = [{"name": tool, "args": {"order": f"{order}-{name}"}, "id": f"call-{name}"} for name in names]
        return AIMessage("", **{"tool_calls": calls, "usage_metadata": usage, **more})

    messages = [say("a", "b"), say("w", tool="wire"), say("c"), say("d"), say("e", usage_metadata=None), AIMessage("done")]
    hooks = guard_middleware(Assay(**options))
    create_agent(FakeModel(messages=iter(messages)), [look_up, wire], middleware=[hooks]).invoke({"messages": [("user", "look")]})
    rows = [row for row in person.read("/api/v1/traces?limit=50") if order in str(row["outputDecision"])]
    said = {row["outputDecision"]["action"]["arguments"]["order"][-1]: row["metadata"].get("tokens") for row in rows}
    assert said == {"a": 10, "b": 0, "w": 10, "c": 20, "d": 10, "e": None}
