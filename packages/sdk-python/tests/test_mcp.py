"""A client of the Model Context Protocol, with a real server in the same process."""

from __future__ import annotations

import asyncio
from typing import Any
from uuid import uuid4

import pytest
from mcp import Client, MCPError
from mcp.server.mcpserver import MCPServer

from assay import AsyncAssay
from assay.mcp import guard_session

ran: list[str] = []
shop = MCPServer("shop")


@shop.tool()
def issue_refund(order: str, amount: float) -> str:
    """Pays money back."""
    ran.append(order)
    return f"paid {amount}"


@shop.tool()
def wire(order: str) -> str:
    """Wires money."""
    ran.append(order)
    return "wired"


@shop.tool()
async def ship(order: str) -> str:
    """Fails."""
    if order.endswith("late"):
        await asyncio.sleep(2)
        ran.append(order)
    raise ValueError(f"nothing to ship for {order}")


def test_a_tool_that_says_it_failed_is_recorded_so_under_the_server_s_own_name(options: Any, person: Any) -> None:
    order = f"A-{uuid4().hex[:8]}"

    async def main() -> Any:
        async with Client(shop) as client:
            session = guard_session(client.session, AsyncAssay(**options))
            return await session.call_tool("ship", {"order": order})

    assert asyncio.run(main()).is_error is True
    rows = person.read("/api/v1/traces?limit=20")
    found = next(row for row in rows if order in str(row["outputDecision"]))
    assert found["outputDecision"]["action"]["server"] == "shop"
    assert [row["state"] for row in person.read(f"/api/v1/traces/{found['traceId']}/executions")] == ["failed"]


def test_a_call_that_the_server_did_not_answer_in_time_is_unknown(options: Any, person: Any) -> None:
    order = f"A-{uuid4().hex[:8]}-late"

    async def main() -> None:
        async with Client(shop) as client:
            session = guard_session(client.session, AsyncAssay(**options))
            with pytest.raises(MCPError, match="[Tt]imed out"):
                await session.call_tool("ship", {"order": order}, read_timeout_seconds=0.2)

    asyncio.run(main())
    rows = person.read("/api/v1/traces?limit=20")
    found = next(row for row in rows if order in str(row["outputDecision"]))
    assert [row["state"] for row in person.read(f"/api/v1/traces/{found['traceId']}/executions")] == ["unknown"]


def test_a_held_call_waits_and_runs_once_and_a_blocked_one_says_why(options: Any, person: Any) -> None:
    order = f"A-{uuid4().hex[:8]}"

    async def main() -> Any:
        async with Client(shop) as client:
            session = guard_session(client.session, AsyncAssay(**options), server="shop")
            assert len((await session.list_tools()).tools) == 3
            running = asyncio.create_task(session.call_tool("issue_refund", {"order": order, "amount": 90.0}))
            trace_id = await asyncio.to_thread(person.decide, {"decision": "approve"}, order)
            return trace_id, await running, await session.call_tool("wire", {"order": order})

    trace_id, paid, wired = asyncio.run(main())
    assert (paid.content[0].text, wired.is_error) == ("paid 90.0", True)
    assert "No wires" in wired.content[0].text
    assert ran == [order]
    assert person.read(f"/api/v1/traces/{trace_id}")["outputDecision"]["action"]["server"] == "shop"
