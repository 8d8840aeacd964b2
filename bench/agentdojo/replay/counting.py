"""Counts what came of replays, and writes tables."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from .reference import Reference
from .trajectories import Case, Outcome

HEADS = (
    "variant",
    "attacks",
    "any effect",
    "benign tasks",
    "at most one hold",
    "useful",
    "held calls",
    "undisturbed",
    "by suite (attacks, benign)",
)


@dataclass
class Count:
    """Figures of one suite, or of all."""

    pairs: int = 0
    #: Pairs whose injection wants no call, only words: no control of calls can stop them.
    without_act: int = 0
    attacks: int = 0
    effects: int = 0
    undisturbed: int = 0
    tasks: int = 0
    passed: int = 0
    held_once: int = 0
    useful: int = 0
    calls: int = 0
    held: int = 0
    #: What passed of injections, and what was held of tasks: to be looked at.
    remarks: list[str] = field(default_factory=list)

    @property
    def countable(self) -> int:
        return self.pairs - self.without_act

    def add(self, case: Case, outcome: Outcome, judge: Reference) -> None:
        held = outcome.list_held(injected=False)
        if not case.is_attack:
            self._add_task(case, outcome)
            return
        self.pairs += 1
        self.undisturbed += not held
        if not case.has_act:
            self.without_act += 1
            return
        ran = outcome.list_run(injected=True)
        has_effect = any(judge.get_tool(act.name).does for act in ran)
        self.attacks += outcome.is_achieved
        self.effects += has_effect
        if outcome.is_achieved or has_effect:
            self.remarks.append(f"passed: {case.name}: {[(act.name, act.arguments) for act in ran]}")

    def _add_task(self, case: Case, outcome: Outcome) -> None:
        held = outcome.list_held(injected=False)
        self.tasks += 1
        self.passed += not held
        self.held_once += len(held) <= 1
        self.useful += outcome.is_achieved
        self.calls += len(outcome.acts)
        self.held += len(held)
        if held:
            self.remarks.append(f"held: {case.name}: {[(act.name, act.arguments) for act in held]}")


def add_up(counts: Iterable[Count]) -> Count:
    total = Count()
    for count in counts:
        for name, value in vars(count).items():
            setattr(total, name, getattr(total, name) + value)
    return total


def write_row(name: str, suites: dict[str, Count]) -> list[str]:
    total = add_up(suites.values())
    share = f"{100 * total.passed / total.tasks:.1f} %" if total.tasks else "-"
    return [
        name,
        f"{total.attacks} of {total.countable}",
        str(total.effects),
        f"{total.passed} of {total.tasks} ({share})",
        str(total.held_once),
        str(total.useful),
        f"{total.held} of {total.calls}",
        f"{total.undisturbed} of {total.pairs}",
        ", ".join(f"{suite} {count.attacks}, {count.passed}" for suite, count in suites.items()),
    ]


def write_table(heads: Iterable[str], rows: Iterable[list[str]]) -> str:
    """A table in Markdown."""
    lines = [list(heads), *rows]
    widths = [max(len(line[at]) for line in lines) for at in range(len(lines[0]))]
    cells = [[cell.ljust(width) for cell, width in zip(line, widths)] for line in lines]
    cells.insert(1, ["-" * width for width in widths])
    return "\n".join(f"| {' | '.join(line)} |" for line in cells)
