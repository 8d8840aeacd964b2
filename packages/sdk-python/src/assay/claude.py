"""The Claude Agent SDK: hooks that ask before a tool runs, and record what became of it.

``ClaudeAgentOptions(hooks=assay.claude.guard_hooks())``
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any

from claude_agent_sdk import HookMatcher

from .action_names import name_action
from .client import AsyncAssay
from .context import RunContext, get_context
from .errors import AlreadyExecuted, AssayError, Held
from .protocol import LEAVING
from .values import canonicalize

#: Seconds that the SDK gives a hook; the hook answers before.
LIMIT = 60.0
WAIT = 45.0
REMEMBERED_MAX = 1_000
#: What a person wrote in one session; the newest are kept.
PROMPTS_MAX = 100


class ToolFailed(Exception):
    """What the SDK says of a tool that failed."""


class AbortError(ToolFailed):
    """What the SDK says of a tool that was interrupted: it may have done its work."""


class _Running:
    """A call that may run: the SDK carries it out, between two hooks."""

    def __init__(self, carry_out: Any) -> None:
        loop = asyncio.get_running_loop()
        self.arguments: asyncio.Future[Any] = loop.create_future()
        self.outcome: asyncio.Future[Any] = loop.create_future()
        call: Coroutine[Any, Any, Any] = carry_out(self._run)
        self.task = asyncio.ensure_future(call)

    async def begin(self) -> Any:
        """Returns the arguments to run with. Raises what refuses the call."""
        await asyncio.wait({self.task, self.arguments}, return_when=asyncio.FIRST_COMPLETED)
        if self.arguments.done():
            return self.arguments.result()
        return self.task.result()

    async def _run(self, arguments: Any) -> Any:
        """Lets the SDK run the tool, and waits for what the second hook says."""
        self.arguments.set_result(arguments)
        return await self.outcome


class ClaudeHooks:
    """One decision a call. A hold that outlives the hook is found again by the next call with the same action."""

    def __init__(self, client: AsyncAssay, wait: float) -> None:
        self._client = client
        self._wait = wait
        self._held: dict[bytes, dict[str, Any]] = {}
        self._running: dict[str, _Running] = {}
        self._prompts: dict[str, list[str]] = {}

    async def remember_prompt(self, data: Any, _tool_use_id: str | None, _context: Any) -> dict[str, Any]:
        """``UserPromptSubmit``: what the person said in a session."""
        said = self._prompts.setdefault(str(data.get("session_id")), [])
        said.append(str(data.get("prompt", "")))
        del said[:-PROMPTS_MAX]
        if len(self._prompts) > REMEMBERED_MAX:
            self._prompts.pop(next(iter(self._prompts)))
        return {}

    async def before(self, data: Any, tool_use_id: str | None, _context: Any) -> dict[str, Any]:
        """``PreToolUse``. Whatever fails denies the call."""
        try:
            return await self._ask(data, tool_use_id or str(data.get("tool_use_id", "")))
        except AssayError as error:
            return _deny(f"{error.message} [{error.code}]")

    async def after(self, data: Any, tool_use_id: str | None, _context: Any) -> dict[str, Any]:
        """``PostToolUse`` and ``PostToolUseFailure``."""
        running = self._running.pop(tool_use_id or str(data.get("tool_use_id", "")), None)
        if running is None:
            return {}
        if data["hook_event_name"] == "PostToolUse":
            running.outcome.set_result(data.get("tool_response"))
        else:
            kind = AbortError if data.get("is_interrupt") is True else ToolFailed
            running.outcome.set_exception(kind(str(data.get("error"))))
        await asyncio.wait({running.task}, timeout=self._wait)
        if running.task.done():
            running.task.exception()  # The SDK knows of it already.
        return {}

    async def _ask(self, data: Any, use_id: str) -> dict[str, Any]:
        # The host puts edited arguments in its own form: the action has that form, but for its name.
        given = data["tool_input"]
        action = name_action("claude-agent-sdk", data["tool_name"], given, cwd=data.get("cwd"))
        tool, arguments = action.pop("tool"), action.pop("arguments")
        key = canonicalize([data.get("session_id"), tool, action, arguments])
        held = self._held.get(key)
        running = None
        if held is None:
            more: dict[str, Any] = {"members": action, "on_hold": "suspend", "context": self._describe(data)}
            running = _Running(lambda run: self._client.call(tool, arguments, run, **more))
            try:
                begun = await running.begin()
            except Held as error:
                held = error.held
            except asyncio.CancelledError:
                await self._leave(running)
                raise
        if held is not None:
            self._keep(key, held)
            # Nothing is claimed before the call can run: a verdict that comes later is claimed by the next call.
            try:
                verdict = await self._client.wait(held["traceId"], self._wait)
            except asyncio.CancelledError:
                # The host has left: no call can follow.
                self._held.pop(key, None)
                await self._client.leave(held["traceId"])
                raise
            if verdict.status == "pending":
                return _deny("A person has to decide about this call. Make the same call again later, unchanged")
            self._held.pop(key, None)
            kept = held
            running = _Running(lambda run: self._client.resume_call(kept, run))
            try:
                begun = await running.begin()
            except AlreadyExecuted:
                return await self._ask(data, use_id)
        assert running is not None
        self._running[use_id] = running
        if len(self._running) > REMEMBERED_MAX:
            self._running.pop(next(iter(self._running))).outcome.cancel()
        return _allow(begun, arguments, given) if held is not None else {}

    def _describe(self, data: Any) -> RunContext:
        """What was said, under which rules of the host, and by which of its agents a tool is called."""
        names = {"permission_mode": "permissionMode", "agent_id": "agentId", "agent_type": "agentType"}
        metadata = {kept: data[name] for name, kept in names.items() if data.get(name) is not None}
        said = self._prompts.get(str(data.get("session_id")), [])
        prompts: RunContext = {"prompt": said[-1], "prompts": [*said]} if said else {}
        return {"metadata": {**get_context().get("metadata", {}), **metadata}, **prompts}

    async def _leave(self, running: _Running) -> None:
        """The host has left while it was asked for: what came of that is withdrawn."""
        await asyncio.wait({running.task}, timeout=LEAVING)
        held = running.task.exception() if running.task.done() and not running.task.cancelled() else None
        if isinstance(held, Held):
            await self._client.leave(held.held["traceId"])

    def _keep(self, key: bytes, held: dict[str, Any]) -> None:
        self._held[key] = held
        if len(self._held) > REMEMBERED_MAX:
            self._held.pop(next(iter(self._held)))


def guard_hooks(client: AsyncAssay | None = None, *, wait: float = WAIT) -> dict[Any, list[HookMatcher]]:
    """Returns the hooks for ``ClaudeAgentOptions``. ``wait``: seconds for a person, below the SDK's limit."""
    made = ClaudeHooks(client or AsyncAssay(), wait)
    before: Any = made.before
    after: Any = made.after
    prompt: Any = made.remember_prompt
    return {
        "UserPromptSubmit": [HookMatcher(hooks=[prompt], timeout=LIMIT)],
        "PreToolUse": [HookMatcher(hooks=[before], timeout=LIMIT)],
        "PostToolUse": [HookMatcher(hooks=[after], timeout=LIMIT)],
        "PostToolUseFailure": [HookMatcher(hooks=[after], timeout=LIMIT)],
    }


def _allow(begun: Any, asked: Any, given: Any) -> dict[str, Any]:
    """A person approved it; members that the action leaves out stay as the model gave them."""
    decision: dict[str, Any] = {"permissionDecision": "allow", "permissionDecisionReason": "A person approved it in Assay"}
    if begun != asked:
        left_out = {name: value for name, value in given.items() if name not in asked}
        decision["updatedInput"] = {**left_out, **begun}
    return {"hookSpecificOutput": {"hookEventName": "PreToolUse", **decision}}


def _deny(why: str) -> dict[str, Any]:
    decision = {"permissionDecision": "deny", "permissionDecisionReason": f"Assay: {why}. Nothing has run."}
    return {"hookSpecificOutput": {"hookEventName": "PreToolUse", **decision}}
