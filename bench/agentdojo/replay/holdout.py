"""``python -m replay.holdout [SET ...]``: replays the sets that were not used in the design (holdout/README.md)."""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Callable, Iterable
from functools import partial

from .counting import HEADS, Count, write_row, write_table
from .reference import Reference
from .suites import list_cases, load_suites
from .tau2 import list_tau2_cases
from .threats import list_asb_cases, list_threat_cases
from .trajectories import Case, Mode, Replay
from .variants import read_variants

LATER = {f"injection_task_{number}" for number in range(6, 14)}


def list_later_cases() -> Iterable[Case]:
    """AgentDojo 1.2.2's mailbox and drive: the tasks, and the eight goals that 1.2 added."""
    cases = list_cases(load_suites("v1.2.2")["workspace"])
    return (case for case in cases if case.injection is None or case.injection.ID in LATER)


SETS: dict[str, tuple[str, Callable[[], Iterable[Case]]]] = {
    "agentdojo 1.2.2": ("catalogue.json", list_later_cases),
    "tau2-retail": ("holdout/tau2-retail.json", partial(list_tau2_cases, "retail", is_thorough=False)),
    "tau2-retail, records read": ("holdout/tau2-retail.json", partial(list_tau2_cases, "retail", is_thorough=True)),
    "tau2-airline": ("holdout/tau2-airline.json", partial(list_tau2_cases, "airline", is_thorough=False)),
    "tau2-airline, records read": ("holdout/tau2-airline.json", partial(list_tau2_cases, "airline", is_thorough=True)),
    "agent-threat-bench": ("holdout/agent-threat-bench.json", list_threat_cases),
    "asb": ("holdout/asb.json", list_asb_cases),
}


def main() -> None:
    chosen = sys.argv[1:] or list(SETS)
    for name, (catalogue, list_set) in ((name, SETS[name]) for name in chosen):
        variants = read_variants(catalogue, "holdout/variants.json")
        judges = {variant.name: Reference(variant.tools, variant.policies) for variant in variants}
        for mode, is_hidden in (("now", False), ("hidden", True)):
            counts: dict[str, Count] = defaultdict(Count)
            for case in list_set():
                for variant, judge in judges.items():
                    outcome = Replay(case, judge.open_session(), Mode(is_hidden=is_hidden)).run()
                    counts[variant].add(case, outcome, judge)
            print(f"\n{name}, {mode}\n")
            print(write_table(HEADS[:-1], [write_row(of, {name: count})[:-1] for of, count in counts.items()]), flush=True)


if __name__ == "__main__":
    main()
