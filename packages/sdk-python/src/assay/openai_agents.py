"""The OpenAI Agents SDK: ``guard_tool(tool)`` asks before the tool runs.

``Agent(tools=[guard_tool(issue_refund)])`` waits while a person decides. ``guard_tool(tool, on_hold="suspend")`` interrupts
the run; keep its state, and ``settle(state, result.interruptions)`` later, in any process.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Iterable
from typing import Any, Literal

from agents import FunctionTool, RunState
from agents.items import ToolApprovalItem
from agents.tool_context import ToolContext

from .action_names import name_call
from .answers import assert_approved
from .client import AsyncAssay
from .errors import AssayError, explain
from .protocol import Standing


def guard_tool(
    tool: FunctionTool, client: AsyncAssay | None = None, *, on_hold: Literal["wait", "suspend"] = "wait"
) -> FunctionTool:
    """Returns the tool, which asks at the moment it would run. What the run's state says is not believed."""
    assay = client or AsyncAssay()

    async def invoke(context: ToolContext[Any], text: str) -> Any:
        async def run(arguments: Any) -> Any:
            return await tool.on_invoke_tool(context, json.dumps(arguments))

        arguments = _parse(text)
        try:
            if on_hold == "wait":
                return await assay.call(tool.name, arguments, run, context={"prompts": _list_said(context.turn_input)})
            # What was decided since the run was suspended goes through; what is open still does not.
            named = _name_call(context.turn_input, context.tool_call_id, arguments)
            return await assay.call(tool.name, arguments, run, on_hold="suspend", **named)
        except AssayError as error:
            return explain(error)

    async def needs_approval(context: Any, arguments: dict[str, Any], call_id: str) -> bool:
        named = _name_call(context.turn_input, call_id, arguments)
        standing = await _ask_first(assay, tool.name, arguments, named)
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
    kept = state.to_json()
    said = kept["original_input"]
    done = [item["raw_item"] for item in kept["generated_items"] if item["type"] == "tool_call_output_item"]
    items = [{"role": "user", "content": said}, *done] if isinstance(said, str) else [*said, *done]
    for item in interruptions:
        raw: Any = item.raw_item
        arguments = _parse(raw.arguments)
        standing = await _ask_first(assay, str(item.tool_name), arguments, _name_call(items, raw.call_id, arguments))
        if standing is None or standing.verdict.status == "approved":
            state.approve(item)
        elif standing.verdict.status == "pending":
            still_open.append(item)
        else:
            state.reject(item, rejection_message=_explain(standing))
    return still_open


async def _ask_first(assay: AsyncAssay, tool: str, arguments: Any, named: dict[str, Any]) -> Standing | None:
    """Returns the decision about a call, which is the same however often it is asked for."""
    try:
        return await assay.ask_first(tool, arguments, **named)
    except AssayError:
        return None  # The tool is refused when it would run, with the reason.


def _name_call(items: Any, call_id: str, arguments: Any) -> dict[str, Any]:
    """Some models use the same ids in each answer: what the user said last names the run, and its outputs are counted."""
    since: list[Any] = []
    prompt: Any = ""
    for item in items:
        if item.get("role") == "user":
            since, prompt = [], item.get("content")
        else:
            since.append(item)
    earlier = sum(item.get("type") == "function_call_output" and item.get("call_id") == call_id for item in since)
    run_id = hashlib.sha256(json.dumps(prompt, sort_keys=True, default=str).encode()).hexdigest()
    return {"context": {"run_id": run_id, "call_id": name_call(call_id, arguments, earlier), "prompts": _list_said(items)}}


def _list_said(items: Any) -> list[str]:
    """What the user wrote: as a text, or as parts."""
    contents = [item.get("content") for item in items if isinstance(item, dict) and item.get("role") == "user"]
    parts = [part for content in contents for part in (content if isinstance(content, list) else [{"text": content}])]
    return [part["text"] for part in parts if isinstance(part, dict) and isinstance(part.get("text"), str)]


def _parse(text: str) -> Any:
    return json.loads(text) if text else {}


def _explain(standing: Standing) -> str:
    try:
        assert_approved(standing.held["traceId"], standing.verdict)
    except AssayError as error:
        return explain(error)
    return ""
