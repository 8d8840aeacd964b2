"""Clients of the Model Context Protocol: ``guard_session(session)`` asks before a tool of a server is called."""

from __future__ import annotations

from typing import Any

from mcp import ClientSession
from mcp.types import CallToolResult, TextContent

from .client import AsyncAssay
from .errors import AssayError


class GuardedSession:
    """A session whose calls are asked for; all else is the session's own."""

    def __init__(self, session: ClientSession, client: AsyncAssay, server: str | None) -> None:
        self._session = session
        self._client = client
        self._members = {} if server is None else {"server": server}

    def __getattr__(self, name: str) -> Any:
        return getattr(self._session, name)

    async def call_tool(self, name: str, arguments: dict[str, Any] | None = None, *args: Any, **more: Any) -> Any:
        """Calls a tool. A refusal is a result that says so, as a tool's own failure would be."""

        async def run(given: Any) -> Any:
            return await self._session.call_tool(name, given, *args, **more)

        try:
            return await self._client.call(name, arguments or {}, run, members=self._members)
        except AssayError as error:
            text = f"The call did not run: {error.message} [{error.code}]"
            return CallToolResult(content=[TextContent(type="text", text=text)], is_error=True)


def guard_session(session: ClientSession, client: AsyncAssay | None = None, *, server: str | None = None) -> GuardedSession:
    """Returns the session, which asks before each call. ``server`` names the server in the actions."""
    return GuardedSession(session, client or AsyncAssay(), server)
