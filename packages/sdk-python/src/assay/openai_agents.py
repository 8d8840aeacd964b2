"""The OpenAI Agents SDK: ``guard_tool(tool)`` asks before the tool runs.

``Agent(tools=[guard_tool(issue_refund)])`` waits while a person decides. ``guard_tool(tool, on_hold="suspend")`` interrupts
the run; keep its state, and ``settle(state, result.interruptions)`` later, in any process.
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
from .errors import AssayError
from .protocol import Standing, assert_approved

#: Call ids of a model's answer are unique, so that a run that is resumed asks for the same decision.
_RUN = "openai-agents"


def guard_tool(
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
            # What was decided since the run was suspended goes through; what is open still does not.
            return await assay.call(tool.name, arguments, run, on_hold="suspend", **options)
        except AssayError as error:
            return _describe(error)

    async def needs_approval(_context: Any, arguments: dict[str, Any], call_id: str) -> bool:
        standing = await _ask_first(assay, tool.name, arguments, call_id)
        return standing is not None and standing.verdict.status == "pending"

    changes: dict[str, Any] = {"on_invoke_tool": invoke}
    if on_hold == "suspend":
        changes["needs_approval"] = needs_approval
    return dataclasses.replace(tool, **changes)


async def settle(
    state: RunState[Any, Any], interruptions: Iterable[ToolApprovalItem], client: AsyncAssay | None = None
) -> list[ToolApprovalItem]:
    """Approves and rejects what people have decided in Assay. Returns what is still open."""
    assay = client or AsyncAssay()
    still_open: list[ToolApprovalItem] = []
    for item in interruptions:
        raw: Any = item.raw_item
        standing = await _ask_first(assay, str(item.tool_name), _parse(raw.arguments), raw.call_id)
        if standing is None or standing.verdict.status == "approved":
            state.approve(item)
        elif standing.verdict.status == "pending":
            still_open.append(item)
        else:
            state.reject(item, rejection_message=_explain(standing))
    return still_open


async def _ask_first(assay: AsyncAssay, tool: str, arguments: Any, call_id: str) -> Standing | None:
    """Returns the decision about a call, which is the same however often it is asked for."""
    try:
        return await assay.ask_first(tool, arguments, **_name_call(call_id))
    except AssayError:
        return None  # The tool is refused when it would run, with the reason.


def _name_call(call_id: str) -> dict[str, Any]:
    return {"context": {"run_id": _RUN, "call_id": call_id}}


def _parse(text: str) -> Any:
    return json.loads(text) if text else {}


def _explain(standing: Standing) -> str:
    try:
        assert_approved(standing.held["traceId"], standing.verdict)
    except AssayError as error:
        return _describe(error)
    return ""


def _describe(error: AssayError) -> str:
    return f"The call did not run: {error.message} [{error.code}]"
