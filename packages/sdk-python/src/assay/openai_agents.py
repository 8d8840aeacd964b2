"""The OpenAI Agents SDK: ``govern(tool)`` asks before the tool runs.

``Agent(tools=[govern(issue_refund)])`` waits while a person decides. ``govern(tool, on_hold="suspend")`` interrupts
the run; keep its state, and ``decide(state, result.interruptions)`` later, in any process.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable
from typing import Any, Literal

from agents import FunctionTool, RunState
from agents.items import ToolApprovalItem
from agents.tool_context import ToolContext

from .client import AsyncAssay
from .errors import AssayError, Held
from .protocol import assert_approved

#: Call ids of a model's answer are unique, so that a run that is resumed asks for the same decision.
_RUN = "openai-agents"


def govern(
    tool: FunctionTool, client: AsyncAssay | None = None, *, on_hold: Literal["wait", "suspend"] = "wait"
) -> FunctionTool:
    """Returns the tool, which asks at the moment it would run. What the run's state says is not believed."""
    assay = client or AsyncAssay()

    async def invoke(context: ToolContext[Any], text: str) -> Any:
        async def run(arguments: Any) -> Any:
            return await tool.on_invoke_tool(context, json.dumps(arguments))

        arguments = _parse(text)
        options = _name_call(context.tool_call_id)
        try:
            if on_hold == "wait":
                return await assay.call(tool.name, arguments, run, **options)
            try:
                return await assay.call(tool.name, arguments, run, on_hold="suspend", **options)
            except Held as error:
                held = error.held
            return await assay.resume(held, lambda **given: run(given))
        except AssayError as error:
            return _describe(error)

    async def needs_approval(_context: Any, arguments: dict[str, Any], call_id: str) -> bool:
        return await _find_held(assay, tool.name, arguments, call_id) is not None

    changes: dict[str, Any] = {"on_invoke_tool": invoke}
    if on_hold == "suspend":
        changes["needs_approval"] = needs_approval
    return dataclasses.replace(tool, **changes)


async def decide(
    state: RunState[Any, Any], interruptions: Iterable[ToolApprovalItem], client: AsyncAssay | None = None
) -> list[ToolApprovalItem]:
    """Approves and rejects what people have decided in Assay. Returns what is still open."""
    assay = client or AsyncAssay()
    still_open: list[ToolApprovalItem] = []
    for item in interruptions:
        raw: Any = item.raw_item
        held = await _find_held(assay, str(item.tool_name), _parse(raw.arguments), raw.call_id)
        verdict = await assay.wait(held["traceId"], 0) if held else None
        if held is None or verdict is None or verdict.status == "approved":
            state.approve(item)
        elif verdict.status == "pending":
            still_open.append(item)
        else:
            state.reject(item, rejection_message=_explain(held["traceId"], verdict))
    return still_open


async def _find_held(assay: AsyncAssay, tool: str, arguments: Any, call_id: str) -> dict[str, Any] | None:
    """Asks for the decision about a call, which is the same however often it is asked for."""
    try:
        await assay.call(tool, arguments, lambda given: None, on_hold="suspend", claim="never", **_name_call(call_id))
    except Held as error:
        return error.held
    except AssayError:
        pass  # The tool is refused when it would run, with the reason.
    return None


def _name_call(call_id: str) -> dict[str, Any]:
    return {"context": {"run_id": _RUN, "call_id": call_id}}


def _parse(text: str) -> Any:
    return json.loads(text) if text else {}


def _explain(trace_id: str, verdict: Any) -> str:
    try:
        assert_approved(trace_id, verdict)
    except AssayError as error:
        return _describe(error)
    return ""


def _describe(error: AssayError) -> str:
    return f"The call did not run: {error.message} [{error.code}]"
