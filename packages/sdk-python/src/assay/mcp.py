"""Clients of the Model Context Protocol: ``guard_session(session)`` asks before a tool of a server is called."""

from __future__ import annotations

from typing import Any

from mcp import ClientSession
from mcp.types import CallToolResult, TextContent

from .action_names import name_action
from .client import AsyncAssay
from .errors import AssayError


class _ToolFailed(Exception):
    """The server's answer that its tool failed: an outcome, and no failure of ours."""

    def __init__(self, result: CallToolResult) -> None:
        super().__init__("The tool failed")
        self.result = result


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
            result = await self._session.call_tool(name, given, *args, **more)
            if getattr(result, "is_error", False) or getattr(result, "isError", False):
                raise _ToolFailed(result)
            return result

        action = name_action("mcp", name, arguments or {}, server=self._server or self._find_server_name())
        members = {key: value for key, value in action.items() if key == "server"}
        try:
            return await self._client.call(name, arguments or {}, run, members=members)
        except _ToolFailed as error:
            return error.result
        except AssayError as error:
            text = f"The call did not run: {error.message} [{error.code}]"
            return CallToolResult(content=[TextContent(type="text", text=text)], is_error=True)

    def _find_server_name(self) -> str | None:
        """The name that the server gave when the session began."""
        name = getattr(getattr(self._session, "server_info", None), "name", None)
        return name if isinstance(name, str) else None


def guard_session(session: ClientSession, client: AsyncAssay | None = None, *, server: str | None = None) -> GuardedSession:
    """Returns the session, which asks before each call.

    ``server`` names the server in the actions; without it the server's own name stands there.
    """
    return GuardedSession(session, client or AsyncAssay(), server)
