"""The hooks of the Claude Agent SDK, called as the SDK calls them."""

from __future__ import annotations

import asyncio
from typing import Any
from uuid import uuid4

import pytest

from assay import AsyncAssay
from assay.claude import guard_hooks


def make_event(name: str, order: str, **more: Any) -> dict[str, Any]:
    return {
        "session_id": "s",
        "transcript_path": "",
        "cwd": "/srv/shop",
        "hook_event_name": name,
        "tool_name": "mcp__shop__issue_refund",
        "tool_input": {"order": order, "amount": 90.0},
        "tool_use_id": f"toolu-{order}",
        **more,
    }


async def fire(made: Any, event: dict[str, Any]) -> Any:
    [matcher] = made[event["hook_event_name"]]
    return await matcher.hooks[0](event, event["tool_use_id"], {"signal": None})


def read_states(person: Any, trace_id: str) -> list[str]:
    return [row["state"] for row in person.read(f"/api/v1/traces/{trace_id}/executions")]


def test_a_held_call_waits_runs_and_is_recorded(options: Any, person: Any) -> None:
    order = f"A-{uuid4().hex[:8]}"

    async def main() -> str:
        made = guard_hooks(AsyncAssay(**options))
        asked = asyncio.create_task(fire(made, make_event("PreToolUse", order)))
        edits = {"decision": "approve", "edits": {"arguments": {"amount": 45}}}
        trace_id = await asyncio.to_thread(person.decide, edits, order)
        decision = (await asked)["hookSpecificOutput"]
        assert decision["permissionDecision"] == "allow"
        assert decision["updatedInput"] == {"order": order, "amount": 45}
        await fire(made, make_event("PostToolUse", order, tool_response="paid 45"))
        return trace_id

    assert read_states(person, asyncio.run(main())) == ["succeeded"]


def test_a_hold_outlives_the_hook_and_a_failed_tool_is_recorded(options: Any, person: Any) -> None:
    order = f"A-{uuid4().hex[:8]}"

    async def main() -> str:
        made = guard_hooks(AsyncAssay(**options), wait=0.05)
        first = (await fire(made, make_event("PreToolUse", order)))["hookSpecificOutput"]
        assert (first["permissionDecision"], "same call again" in first["permissionDecisionReason"]) == ("deny", True)
        trace_id = await asyncio.to_thread(person.decide, {"decision": "approve"}, order)
        again = make_event("PreToolUse", order, tool_use_id="toolu-again")
        # Nothing is claimed before somebody can run it.
        assert read_states(person, trace_id) == []
        allowed = (await fire(made, again))["hookSpecificOutput"]
        assert (allowed["permissionDecision"], "updatedInput" in allowed) == ("allow", False)
        assert read_states(person, trace_id) == ["claimed"]
        await fire(made, make_event("PostToolUseFailure", order, tool_use_id="toolu-again", error="no money"))
        return trace_id

    trace_id = asyncio.run(main())
    assert read_states(person, trace_id) == ["failed"]


def test_a_tool_that_was_interrupted_is_unknown(options: Any, person: Any) -> None:
    order = f"A-{uuid4().hex[:8]}"

    async def main() -> str:
        made = guard_hooks(AsyncAssay(**options))
        asked = asyncio.create_task(fire(made, make_event("PreToolUse", order)))
        trace_id = await asyncio.to_thread(person.decide, {"decision": "approve"}, order)
        await asked
        await fire(made, make_event("PostToolUseFailure", order, error="Interrupted", is_interrupt=True))
        return trace_id

    assert read_states(person, asyncio.run(main())) == ["unknown"]


@pytest.mark.parametrize("when", ["while it asks", "while it waits"])
def test_a_host_that_leaves_withdraws_what_it_asked_for(options: Any, person: Any, when: str) -> None:
    order = f"A-{uuid4().hex[:8]}"

    async def main() -> str:
        client = AsyncAssay(**options)
        request, reached = client._driver._request, asyncio.Event()

        async def answer_late(step: Any) -> Any:
            reply = await request(step)
            if step.path == "/api/v1/traces" and when == "while it asks":
                reached.set()
                await asyncio.sleep(0.5)
            return reply

        client._driver._request = answer_late
        asked = asyncio.create_task(fire(guard_hooks(client), make_event("PreToolUse", order)))
        held = await asyncio.to_thread(person.await_held, order)
        await (reached.wait() if when == "while it asks" else asyncio.sleep(0.5))
        asked.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asked
        return held["traceId"]

    trace_id = asyncio.run(main())
    assert person.read(f"/api/v1/traces/{trace_id}")["review"]["status"] == "withdrawn"


def test_a_blocked_tool_is_denied_with_the_reason(options: Any) -> None:
    async def main() -> Any:
        return await fire(guard_hooks(AsyncAssay(**options)), make_event("PreToolUse", "A-1", tool_name="wire"))

    decision = asyncio.run(main())["hookSpecificOutput"]
    assert (decision["permissionDecision"], "No wires" in decision["permissionDecisionReason"]) == ("deny", True)


def test_a_shell_has_the_name_that_every_host_s_shell_has(options: Any, person: Any) -> None:
    order = f"A-{uuid4().hex[:8]}"
    given = {"command": f"rm -rf {order}", "description": "Removes it"}

    async def main() -> None:
        made = guard_hooks(AsyncAssay(**options))
        assert await fire(made, make_event("PreToolUse", order, tool_name="Bash", tool_input=given)) == {}
        await fire(made, make_event("PostToolUse", order, tool_response="done"))

    asyncio.run(main())
    rows = person.read("/api/v1/traces?limit=20")
    found = next(row for row in rows if order in str(row["outputDecision"]))
    expected = {"cwd": "/srv/shop", "tool": "shell", "arguments": {"command": f"rm -rf {order}"}}
    assert found["outputDecision"]["action"] == expected


def test_a_decision_says_what_was_asked_and_by_which_agent(options: Any, person: Any) -> None:
    order = f"A-{uuid4().hex[:8]}"

    async def main() -> None:
        made = guard_hooks(AsyncAssay(**options))
        await fire(made, make_event("UserPromptSubmit", order, prompt=f"Look up {order}"))
        about = {"tool_name": "look_up", "permission_mode": "plan", "agent_id": "sub-1", "agent_type": "reader"}
        await fire(made, make_event("PreToolUse", order, **about))

    asyncio.run(main())
    rows = person.read("/api/v1/traces?limit=20")
    found = person.read(f"/api/v1/traces/{next(row for row in rows if order in str(row['outputDecision']))['traceId']}")
    assert found["inputContext"]["prompt"] == f"Look up {order}"
    kept = {name: found["metadata"][name] for name in ("permissionMode", "agentId", "agentType")}
    assert kept == {"permissionMode": "plan", "agentId": "sub-1", "agentType": "reader"}


def test_whatever_fails_denies(options: Any) -> None:
    async def main() -> Any:
        away = {**options, "url": "http://127.0.0.1:9", "timeout": 0.3}
        return await fire(guard_hooks(AsyncAssay(**away)), make_event("PreToolUse", "A-1"))

    decision = asyncio.run(main())["hookSpecificOutput"]
    assert (decision["permissionDecision"], "NO_ANSWER" in decision["permissionDecisionReason"]) == ("deny", True)
