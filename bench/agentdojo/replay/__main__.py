"""``python -m replay``: replays suites in the modes that are named, and prints a table of each.

Without ``--url`` the reference judges. With it the service at that address does, and each answer is compared.
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from .counting import HEADS, Count, write_row, write_table
from .reference import Reference
from .service import Agreement, Service
from .suites import VERSION, list_cases, load_suites
from .trajectories import Case, Mode, Outcome, Replay
from .variants import Variant, read_variants

MODES = {
    "now": Mode(),
    "late": Mode(is_late=True),
    "hidden": Mode(is_hidden=True),
    "hidden-late": Mode(is_late=True, is_hidden=True),
    "no-prompt": Mode(sees_prompt=False),
}
#: Sessions at the service at once.
AT_ONCE = 12
SHOWN = 5


def read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="replay", description=__doc__)
    parser.add_argument("--url", help="a service that lets organisations be registered")
    parser.add_argument("--version", default=VERSION, help="of the suites")
    parser.add_argument("--suite", action="append", help="only these suites")
    parser.add_argument("--mode", action="append", choices=MODES, help="at first: now")
    parser.add_argument("--variant", action="append", help="only variants of these names")
    parser.add_argument("--task", action="append", help="only these tasks of users, such as user_task_0")
    parser.add_argument("--remarks", action="store_true", help="prints what passed and what was held")
    return parser.parse_args()


Judge = Reference | Service


def replay_all(cases: Iterable[Case], judges: dict[str, Judge], mode: Mode) -> Iterator[tuple[Case, str, Outcome]]:
    """Replays each case before each judge, several at once: a service answers others meanwhile."""
    running: deque[tuple[Case, str, Future[Outcome]]] = deque()
    with ThreadPoolExecutor(AT_ONCE) as pool:
        for case in cases:
            for name, judge in judges.items():
                running.append((case, name, pool.submit(Replay(case, judge.open_session(), mode).run)))
            while len(running) > 2 * AT_ONCE:
                yield _await(*running.popleft())
        for waiting in running:
            yield _await(*waiting)


def _await(case: Case, name: str, outcome: Future[Outcome]) -> tuple[Case, str, Outcome]:
    return case, name, outcome.result()


def count_variants(suites: dict[str, Any], judges: dict[str, Judge], options: argparse.Namespace, mode: Mode) -> Any:
    counts: dict[str, dict[str, Count]] = defaultdict(lambda: defaultdict(Count))
    for suite_name, suite in suites.items():
        cases = (case for case in list_cases(suite) if not options.task or case.task.ID in options.task)
        for case, name, outcome in replay_all(cases, judges, mode):
            counts[name][suite_name].add(case, outcome, _get_reference(judges[name]))
    return counts


def _get_reference(judge: Judge) -> Reference:
    return judge if isinstance(judge, Reference) else judge.reference


def make_judge(variant: Variant, url: str | None, agreement: Agreement) -> Judge:
    return Reference(variant.tools, variant.policies) if url is None else Service(url, variant, agreement)


def main() -> int:
    options = read_arguments()
    suites = load_suites(options.version)
    suites = {name: suites[name] for name in sorted(options.suite or suites)}
    variants = [variant for variant in read_variants() if not options.variant or variant.name in options.variant]
    agreement = Agreement()
    judges = {variant.name: make_judge(variant, options.url, agreement) for variant in variants}
    for mode in options.mode or ["now"]:
        counts = count_variants(suites, judges, options, MODES[mode])
        print(f"\n{mode}, suites {options.version}\n")
        print(write_table(HEADS, [write_row(name, by_suite) for name, by_suite in counts.items()]), flush=True)
        for name, by_suite in counts.items() if options.remarks else ():
            print(*(f"{name}: {remark}" for count in by_suite.values() for remark in count.remarks), sep="\n")
    if options.url is not None:
        print(f"\nservice and reference: {agreement.calls} calls, {len(agreement.differences)} differences")
        print(*agreement.differences[:SHOWN], sep="\n")
    return 1 if agreement.differences else 0


if __name__ == "__main__":
    sys.exit(main())
