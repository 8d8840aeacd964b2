"""The Claude Agent SDK: hooks that ask before a tool runs, and record what became of it.

``ClaudeAgentOptions(hooks=assay.claude.guard_hooks())``
"""

from __future__ import annotations

import asyncio
import re
from typing import Any

from claude_agent_sdk import HookMatcher

from .client import AsyncAssay
from .errors import AssayError
from .values import canonicalize

#: Seconds that the SDK gives a hook; the hook answers before.
LIMIT = 60.0
WAIT = 45.0


class ToolFailed(Exception):
    """What the SDK says of a tool that failed."""


class _Pending:
    """A call that was asked for: it is carried out by the SDK, between two hooks."""

    def __init__(self) -> None:
        loop = asyncio.get_running_loop()
        self.arguments: asyncio.Future[Any] = loop.create_future()
        self.outcome: asyncio.Future[Any] = loop.create_future()
        self.task: asyncio.Task[Any] | None = None

    async def run(self, arguments: Any) -> Any:
        """Lets the SDK run the tool, and waits for what the second hook says."""
        self.arguments.set_result(arguments)
        return await self.outcome


class ClaudeHooks:
    """One decision a call. A hold that outlives the hook is found again by the next call with the same action."""

    def __init__(self, client: AsyncAssay, wait: float) -> None:
        self._client = client
        self._wait = wait
        self._held: dict[bytes, _Pending] = {}
        self._running: dict[str, _Pending] = {}

    async def before(self, data: Any, tool_use_id: str | None, _context: Any) -> dict[str, Any]:
        """``PreToolUse``."""
        tool, members = _name_tool(data["tool_name"])
        given = data["tool_input"]
        key = canonicalize([members, tool, given])
        pending = self._held.pop(key, None) or self._start(tool, given, members)
        task = pending.task
        assert task is not None
        await asyncio.wait({task, pending.arguments}, timeout=self._wait, return_when=asyncio.FIRST_COMPLETED)
        if task.done() and not pending.arguments.done():
            return _deny(task.exception())
        if not pending.arguments.done():
            self._held[key] = pending
            return _deny("A person has to decide about this call. Make the same call again later, unchanged")
        self._running[tool_use_id or data.get("tool_use_id", "")] = pending
        arguments = pending.arguments.result()
        if arguments == given:
            return {}
        decision = {"permissionDecision": "allow", "updatedInput": arguments}
        return {"hookSpecificOutput": {"hookEventName": "PreToolUse", **decision}}

    async def after(self, data: Any, tool_use_id: str | None, _context: Any) -> dict[str, Any]:
        """``PostToolUse`` and ``PostToolUseFailure``."""
        pending = self._running.pop(tool_use_id or data.get("tool_use_id", ""), None)
        if pending is None or pending.task is None:
            return {}
        if data["hook_event_name"] == "PostToolUse":
            pending.outcome.set_result(data.get("tool_response"))
        else:
            pending.outcome.set_exception(ToolFailed(str(data.get("error"))))
        await asyncio.wait({pending.task}, timeout=self._wait)
        if pending.task.done():
            pending.task.exception()  # The SDK knows of it already.
        return {}

    def _start(self, tool: str, given: Any, members: dict[str, str]) -> _Pending:
        pending = _Pending()
        call = self._client.call(tool, given, pending.run, members=members, on_timeout="leave")
        pending.task = asyncio.ensure_future(call)
        return pending


def guard_hooks(client: AsyncAssay | None = None, *, wait: float = WAIT) -> dict[Any, list[HookMatcher]]:
    """Returns the hooks for ``ClaudeAgentOptions``. ``wait``: seconds for a person, below the SDK's limit."""
    made = ClaudeHooks(client or AsyncAssay(), wait)
    before: Any = made.before
    after: Any = made.after
    return {
        "PreToolUse": [HookMatcher(hooks=[before], timeout=LIMIT)],
        "PostToolUse": [HookMatcher(hooks=[after], timeout=LIMIT)],
        "PostToolUseFailure": [HookMatcher(hooks=[after], timeout=LIMIT)],
    }


def _name_tool(name: str) -> tuple[str, dict[str, str]]:
    """Names a tool of an MCP server as the proxy does."""
    found = re.fullmatch(r"mcp__(.+?)__(.+)", name)
    return (found[2], {"server": found[1]}) if found else (name, {})


def _deny(why: Any) -> dict[str, Any]:
    text = f"{why.message} [{why.code}]" if isinstance(why, AssayError) else str(why)
    reason = f"Assay: {text}. Nothing has run."
    decision = {"permissionDecision": "deny", "permissionDecisionReason": reason}
    return {"hookSpecificOutput": {"hookEventName": "PreToolUse", **decision}}
