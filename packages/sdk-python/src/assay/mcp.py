"""Clients of the Model Context Protocol: ``guard_session(session)`` asks before a tool of a server is called."""

from __future__ import annotations

from typing import Any

from mcp import ClientSession, MCPError
from mcp.types import CONNECTION_CLOSED, REQUEST_TIMEOUT, CallToolResult, TextContent

from .action_names import name_action
from .client import AsyncAssay
from .endings import Outcome
from .errors import AssayError, explain

#: The server may act still, or have acted: no answer came.
UNANSWERED = {CONNECTION_CLOSED, REQUEST_TIMEOUT}


def _judge_error(error: Exception) -> Outcome:
    """Only an answer of the server says that a call failed."""
    return "failed" if isinstance(error, MCPError) and error.code not in UNANSWERED else "unknown"


class GuardedSession:
    """A session whose calls are asked for; all else is the session's own."""

    def __init__(self, session: ClientSession, client: AsyncAssay, server: str | None) -> None:
        self._session = session
        self._client = client
        self._server = server

    def __getattr__(self, name: str) -> Any:
        return getattr(self._session, name)

    async def call_tool(self, name: str, arguments: dict[str, Any] | None = None, *args: Any, **more: Any) -> Any:
        """Calls a tool. A refusal is a result that says so, as a tool's own failure would be."""

        async def run(given: Any) -> Any:
            return await self._session.call_tool(name, given, *args, **more)

        action = name_action("mcp", name, arguments or {}, server=self._server or self._find_server_name())
        members = {key: value for key, value in action.items() if key == "server"}
        try:
            return await self._client.call(name, arguments or {}, run, members=members, judge_error=_judge_error)
        except AssayError as error:
            return CallToolResult(content=[TextContent(type="text", text=explain(error))], is_error=True)

    def _find_server_name(self) -> str | None:
        """The name that the server gave when the session began."""
        name = getattr(getattr(self._session, "server_info", None), "name", None)
        return name if isinstance(name, str) else None


def guard_session(session: ClientSession, client: AsyncAssay | None = None, *, server: str | None = None) -> GuardedSession:
    """Returns the session, which asks before each call.

    ``server`` names the server in the actions; without it the server's own name stands there.
    """
    return GuardedSession(session, client or AsyncAssay(), server)
