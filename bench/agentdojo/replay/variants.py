"""The variants of ``variants.json``: a catalogue with its overlays, and the policies that judge."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .rules import Policy, read_policy

FOLDER = Path(__file__).parent.parent


@dataclass(frozen=True)
class Variant:
    name: str
    tools: list[dict[str, Any]]
    #: Sources in the rule language, by the names of their files.
    sources: dict[str, str]

    @property
    def policies(self) -> list[Policy]:
        return [read_policy(source) for source in self.sources.values()]


def read_json(name: str) -> Any:
    return json.loads((FOLDER / name).read_text())


def read_variants(catalogue: str = "catalogue.json", variants: str = "variants.json") -> list[Variant]:
    """The variants with the tools of AgentDojo, or with those of another set."""
    tools, overlays = read_json(catalogue), read_json("overlays.json")
    return [
        Variant(
            given["name"],
            _lay_over(tools, [overlays[name] for name in given["catalogue"]]),
            {name: (FOLDER / f"policies/{name}.adl").read_text() for name in given["policies"]},
        )
        for given in read_json(variants)
    ]


def _lay_over(tools: list[dict[str, Any]], overlays: list[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Tools with members that overlays change: of one tool by its name, of all by ``*``."""
    changes = [(name, change) for overlay in overlays for name, change in overlay.items()]
    return [
        {**tool, "entries": [_change(entry, [change for name, change in changes if name in ("*", tool["name"])])]}
        for tool in tools
        for entry in tool["entries"]
    ]


def _change(entry: dict[str, Any], changes: list[Mapping[str, Any]]) -> dict[str, Any]:
    for change in changes:
        entry = {**entry, **change}
    return entry
