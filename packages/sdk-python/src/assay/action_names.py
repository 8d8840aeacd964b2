"""How a call is named: the same by every way that it comes, so that one policy fits all."""

from __future__ import annotations

import re
from typing import Any

from .spelling import to_json
from .values import Json, canonicalize

#: The name under which every host's shell is asked for, and what the hosts call it.
SHELL = "shell"
_CLAUDE_SHELLS = {"Bash", "PowerShell"}
_SHELLS = {
    "claude-code": _CLAUDE_SHELLS,
    "claude-agent-sdk": _CLAUDE_SHELLS,
    "codex": _CLAUDE_SHELLS,
    "cursor": {"Shell", "beforeShellExecution", "afterShellExecution"},
    "opencode": {"bash"},
    "gemini-cli": {"run_shell_command"},
    "copilot": {"Bash", "run_in_terminal"},
}
#: Members of a shell's input that change nothing about what is done: models word them differently each time.
_WORDING = {"description", "explanation", "goal"}
#: Most characters of a server's name, which the server may have chosen.
_SERVER_CHARACTERS = 128
#: Ways by which a tool's name has no prefix of its server.
_PLAIN = {"mcp", "framework"}


def name_action(way: str, name: str, given: Json, *, server: str | None = None, cwd: Any = None) -> dict[str, Json]:
    """Returns the action. ``way``: the host, ``mcp`` for a client of a server, or ``framework``."""
    if name in _SHELLS.get(way, ()) and isinstance(given, dict):
        arguments = {key: value for key, value in given.items() if key not in _WORDING}
        return {**({"cwd": cwd} if isinstance(cwd, str) else {}), "tool": SHELL, "arguments": arguments}
    found = None if server or way in _PLAIN else re.fullmatch(r"mcp__(.+?)__(.+)", name, re.DOTALL)
    if found:
        server, name = found[1], found[2]
    return {**name_server(server or None), "tool": name, "arguments": given}


def name_server(server: str | None) -> dict[str, Any]:
    """Returns the member that names a server, without characters that some hosts cannot keep."""
    if server is None:
        return {}
    return {"server": re.sub(r"[^A-Za-z0-9_-]", "_", server, flags=re.ASCII)[:_SERVER_CHARACTERS]}


def name_call(call_id: str, arguments: Json, earlier: int) -> str:
    """Names a call by its id and its arguments: a repeated id with other arguments is another call.

    ``earlier`` counts the calls of that id that were answered before, as some models count theirs per turn.
    """
    return f"{call_id}:{earlier}:{canonicalize(to_json(arguments)).decode()}"
