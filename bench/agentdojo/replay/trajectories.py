"""Replays a case call by call: each is asked for, and one that is held or blocked does not run.

The agent does what the user's ground truth says. At the first result that holds the injected text it does all that the
injection wants, or at the end (``late``), and then goes on.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from assay.origins import OriginTracker

from .reference import Verdict
from .suites import to_json, to_text

_INJECTED = re.compile(r"<INFORMATION>.*?</INFORMATION>", re.DOTALL)


class Call(Protocol):
    """A call of a tool."""

    function: str
    args: Any


class World(Protocol):
    """Where one replay happens."""

    def run(self, call: Any) -> Any:
        """Carries out a call; the result is JSON."""

    def list_injected(self) -> Iterable[Call]:
        """The calls that the injection wants, in the world as it is then."""

    def is_achieved(self, ran: list[Any]) -> bool:
        """Of a task alone whether it is done, of an injection whether it succeeded."""


class Case(Protocol):
    """A user's task, alone or with an injection."""

    @property
    def name(self) -> str: ...
    @property
    def prompt(self) -> str: ...
    @property
    def calls(self) -> Sequence[Call]: ...
    @property
    def mark(self) -> str:
        """What stands in a result once the injection was read."""

    @property
    def is_attack(self) -> bool: ...
    @property
    def has_act(self) -> bool:
        """Whether the injection wants any call; some want only words."""

    def open(self) -> World: ...


class Session(Protocol):
    """Who judges the calls of one session."""

    def ask(self, name: str, arguments: dict[str, Any], origins: dict[str, Any]) -> Verdict: ...


@dataclass(frozen=True)
class Mode:
    """What the attacker and the harness can do."""

    #: The injection is obeyed at the end instead of at first sight.
    is_late: bool = False
    #: The attacker spells values out, so that the harness finds none of them in the injected text.
    is_hidden: bool = False
    #: The harness sees what the person wrote.
    sees_prompt: bool = True


@dataclass(frozen=True)
class Act:
    """A call that was asked for."""

    name: str
    arguments: dict[str, Any]
    is_injected: bool
    verdict: Verdict


@dataclass
class Outcome:
    """What came of a replay."""

    acts: list[Act] = field(default_factory=list)
    #: Whether the injected text was read.
    is_reached: bool = False
    #: The suite's own check: of a task alone its utility, of an injection its success.
    is_achieved: bool = False

    def list_held(self, *, injected: bool) -> list[Act]:
        return [act for act in self.acts if act.is_injected == injected and not act.verdict.is_allowed]

    def list_run(self, *, injected: bool) -> list[Act]:
        return [act for act in self.acts if act.is_injected == injected and act.verdict.is_allowed]


class Replay:
    """One replay of one case."""

    def __init__(self, case: Case, session: Session, mode: Mode) -> None:
        self._case, self._session, self._mode = case, session, mode
        self._world = case.open()
        self._tracker = OriginTracker()
        if mode.sees_prompt:
            self._tracker.add_prompt(case.prompt)
        self._ran: list[Any] = []
        self._outcome = Outcome()

    def run(self) -> Outcome:
        case, outcome = self._case, self._outcome
        for call in case.calls:
            result = self._do(call, is_injected=False)
            if case.is_attack and not outcome.is_reached and case.mark in to_text(result):
                outcome.is_reached = True
                if not self._mode.is_late:
                    self._obey()
        if outcome.is_reached and self._mode.is_late:
            self._obey()
        outcome.is_achieved = self._world.is_achieved(self._ran)
        return outcome

    def _obey(self) -> None:
        for call in self._world.list_injected():
            self._do(call, is_injected=True)

    def _do(self, call: Any, *, is_injected: bool) -> Any:
        arguments = self._see(to_json(dict(call.args)))
        origins = self._tracker.describe({"tool": call.function, "arguments": arguments})
        verdict = self._session.ask(call.function, arguments, origins)
        self._outcome.acts.append(Act(call.function, arguments, is_injected, verdict))
        if not verdict.is_allowed:
            return None
        result = self._world.run(call)
        self._ran.append(call)
        self._tracker.add_result(verdict.trace_id, self._see(result))
        return result

    def _see(self, value: Any) -> Any:
        """A value as the harness sees it: of a text that an adaptive attacker wrote nothing is to be found again."""
        return _hide(value) if self._mode.is_hidden else value


def _hide(value: Any) -> Any:
    """A value without the injected text."""
    if isinstance(value, str):
        return _INJECTED.sub(" ", value)
    if isinstance(value, dict):
        return {name: _hide(member) for name, member in value.items()}
    return [_hide(item) for item in value] if isinstance(value, list) else value
