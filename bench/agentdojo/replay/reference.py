"""The reference: judges a call by catalogue, session and origins, as docs/reference/formats.md says.

It reads the same JSON as the service: entries of ``PUT /tools/:name``, policies of the rule language, and the member
``origins`` of a decision. It knows one entry a tool, and neither servers nor patterns of arguments.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from assay.origins import fold_value, list_atoms, list_inner_atoms

from .rules import Policy

EFFECTS = ("fetch", "money", "book", "delete", "access", "write", "outbound", "execute")
#: A quotation is a content of as many words.
QUOTATION_WORDS = 4
#: A number in the prompt that is too short to be that one for certain: it says something of amounts alone.
PROMPT_NUMBER = "prompt~"


@dataclass(frozen=True)
class Tool:
    """What an operator declares of a tool; what is left out has the strictest reading."""

    does: tuple[str, ...] = EFFECTS
    gives: frozenset[str] = frozenset({"private", "untrusted"})
    outside: tuple[tuple[str, ...], ...] | None = None
    directory: bool = False
    roles: Mapping[tuple[str, ...], str] = field(default_factory=dict)

    def get_role(self, path: tuple[str, ...]) -> str:
        """The role of an argument, or of the one it is part of; the longest path counts."""
        named = [(len(name), role) for name, role in self.roles.items() if _is_beginning(name, path)]
        return max(named)[1] if named else "destination"

    def is_outside(self, path: tuple[str, ...], is_name: bool) -> bool:
        """Whether people outside may write this field of its result, or the names of its members.

        What is not taken apart may hold such a field; a name says nothing of the fields below it.
        """
        if "untrusted" not in self.gives:
            return False
        return self.outside is None or any(
            _is_beginning(name, path) or (not is_name and _is_beginning(path, name)) for name in self.outside
        )


UNLISTED = Tool()


def _is_beginning(name: tuple[str, ...], path: tuple[str, ...]) -> bool:
    return len(name) <= len(path) and all("*" in (one, other) or one == other for one, other in zip(name, path))


def read_catalogue(tools: Iterable[Mapping[str, Any]]) -> dict[str, Tool]:
    """Reads tools as ``PUT /tools/:name`` takes them."""
    return {tool["name"]: _read_entry(*tool["entries"]) for tool in tools}


def _read_entry(entry: Mapping[str, Any]) -> Tool:
    outside = entry.get("outside")
    return Tool(
        does=tuple(entry["does"]),
        gives=frozenset(entry["gives"]),
        outside=None if outside is None else tuple(tuple(path.split(".")) for path in outside),
        directory=entry.get("directory", False),
        roles={tuple(path.split(".")): role for path, role in entry.get("roles", {}).items()},
    )


@dataclass(frozen=True)
class Verdict:
    """The answer to one call."""

    trace_id: str
    is_allowed: bool
    reason: str = ""


class Reference:
    """Opens sessions that share a catalogue and policies."""

    def __init__(self, tools: Iterable[Mapping[str, Any]], policies: Iterable[Policy]) -> None:
        self.catalogue = read_catalogue(tools)
        self.policies = list(policies)

    def get_tool(self, name: str) -> Tool:
        return self.catalogue.get(name, UNLISTED)

    def open_session(self) -> ReferenceSession:
        return ReferenceSession(self)


class ReferenceSession:
    """What one session has read, and the judgement of its next call."""

    def __init__(self, judge: Reference) -> None:
        self._judge = judge
        self._labels: set[str] = set()
        self._done: dict[str, Tool] = {}
        self._ids = (f"trc_{number:032x}" for number in itertools.count(1))

    def ask(self, name: str, arguments: Mapping[str, Any], origins: Mapping[str, Any]) -> Verdict:
        reason = self.find_reason(name, arguments, origins)
        trace_id = next(self._ids)
        if reason is None:
            self.add(trace_id, name)
        return Verdict(trace_id, reason is None, reason or "")

    def find_reason(self, name: str, arguments: Mapping[str, Any], origins: Mapping[str, Any]) -> str | None:
        """Why a call must not run; None: it may."""
        facts = self.derive_facts(self._judge.get_tool(name), arguments, origins)
        return next((policy.reason for policy in self._judge.policies if policy.applies(facts)), None)

    def add(self, trace_id: str, name: str) -> None:
        """Adds a call that is let run. Its labels count at once: its result is presumed to be read."""
        tool = self._judge.get_tool(name)
        self._labels |= tool.gives
        self._done[trace_id] = tool

    def derive_facts(self, tool: Tool, arguments: Mapping[str, Any], origins: Mapping[str, Any]) -> dict[str, Any]:
        values = origins.get("values", {})
        # A call without an effect does nothing that needs a proof.
        found = set(self._classify(tool, arguments, values)) if tool.does else set()
        unproven = {role for role, kind in found if kind == "outside" or (kind == "nowhere" and role != "amount")}
        unknown = {role for role, kind in found if kind not in ("prompt", "directory")}
        return {
            "session.labels": sorted(self._labels),
            "action.does": list(tool.does),
            "action.unproven": sorted(unproven),
            "action.invented": list(tool.does) if "destination" in unknown else [],
            "action.unasked": list(tool.does) if "object" in unknown else [],
            "action.listed": tool is not UNLISTED,
            "action.promptSeen": origins.get("promptSeen", False),
        }

    def _classify(self, tool: Tool, arguments: Any, values: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
        """Yields role and class of each value; of contents the atoms, and a quotation found outside."""
        for path, value in list_leaves(arguments):
            text = fold_value(str(value))
            if not text:
                continue
            role = tool.get_role(path)
            whole, atoms = _split_sources(value, values.get(to_pointer(path), []))
            if role != "content":
                yield role, self._get_class(whole, role)
                continue
            for atom in atoms:
                yield role, self._get_class(atom, role)
            if len(text.split(" ")) >= QUOTATION_WORDS and self._get_class(whole, role) == "outside":
                yield role, "outside"

    def _get_class(self, sources: list[str], role: str) -> str:
        if "prompt" in sources or (role == "amount" and PROMPT_NUMBER in sources):
            return "prompt"
        sources = [source for source in sources if source != PROMPT_NUMBER]
        if role != "amount" and any(self._is_directory(source) for source in sources):
            return "directory"
        if any(self._is_outside(source) for source in sources):
            return "outside"
        return "inside" if sources else "nowhere"

    def _is_directory(self, source: str) -> bool:
        trace_id, sign, _ = _split_source(source)
        return sign == "#" and trace_id in self._done and self._done[trace_id].directory

    def _is_outside(self, source: str) -> bool:
        trace_id, sign, path = _split_source(source)
        return trace_id not in self._done or self._done[trace_id].is_outside(path, sign == "@")


def _split_source(source: str) -> tuple[str, str, tuple[str, ...]]:
    """``trc_1#/*/name`` as its decision, sign and path; a source of no decision has none."""
    for at, sign in enumerate(source):
        if sign in "#~@":
            path = source[at + 1 :].split("/")[1:]
            return source[:at], sign, tuple(name.replace("~1", "/").replace("~0", "~") for name in path)
    return source, "", ()


def _split_sources(value: Any, sources: Any) -> tuple[list[str], list[list[str]]]:
    """The sources of a value as a whole and of each of its atoms; an atom without a list was found nowhere."""
    if not isinstance(value, str):
        return sources, []
    inner = list_inner_atoms(value)
    whole, given = (sources["whole"], sources["atoms"]) if isinstance(sources, Mapping) else (sources, [])
    if not inner:
        return whole, [whole] if list_atoms(value) else []
    return whole, [given[at] if at < len(given) else [] for at in range(len(inner))]


def list_leaves(value: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], str | int | float]]:
    """The texts and numbers of a JSON value, each with its path."""
    if isinstance(value, Mapping):
        for name, member in value.items():
            yield from list_leaves(member, (*path, str(name)))
    elif isinstance(value, list):
        for at, item in enumerate(value):
            yield from list_leaves(item, (*path, str(at)))
    elif isinstance(value, (str, int, float)) and not isinstance(value, bool):
        yield path, value


def to_pointer(path: tuple[str, ...]) -> str:
    """The JSON pointer of an argument into the action."""
    return "".join("/" + name.replace("~", "~0").replace("/", "~1") for name in ("arguments", *path))
