"""Cases that are no suite of AgentDojo: a task with its calls, and what an injection would have called."""

from __future__ import annotations

import functools
import importlib
import sys
import types
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from .later_goals import PlainCall


@functools.cache
def find_package(name: str) -> Path:
    """The folder of an installed package, which is not imported."""
    spec = find_spec(name)
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError(f"{name} is not installed: see packages.txt")
    return Path(spec.origin).parent


@dataclass(frozen=True)
class PlainCase:
    """A task, alone or with an injection."""

    name: str
    prompt: str
    calls: Sequence[PlainCall]
    #: Makes what carries out the calls of one replay.
    make_run: Callable[[], Callable[[PlainCall], Any]]
    #: What stands in a result once the injection was read.
    mark: str = ""
    is_attack: bool = False
    injected: Sequence[PlainCall] = field(default_factory=list)

    @property
    def has_act(self) -> bool:
        return bool(self.injected)

    def open(self) -> PlainWorld:
        return PlainWorld(self)


class PlainWorld:
    """Where one replay happens: an injection succeeds when all its calls ran, a task when all of its own did."""

    def __init__(self, case: PlainCase) -> None:
        self._case = case
        self.run = case.make_run()

    def list_injected(self) -> Iterable[PlainCall]:
        return self._case.injected

    def is_achieved(self, ran: list[Any]) -> bool:
        wanted = self._case.injected if self._case.is_attack else self._case.calls
        return bool(wanted) and all(any(call is one for one in ran) for call in wanted)


def import_from(package: Path, name: str) -> Any:
    """Imports a module of a package without what the package and its parts import when they begin."""
    parts = name.split(".")
    for length in range(1, len(parts)):
        module = types.ModuleType(".".join(parts[:length]))
        module.__path__ = [str(package.joinpath(*parts[1:length]))]
        sys.modules.setdefault(module.__name__, module)
    return importlib.import_module(name)
