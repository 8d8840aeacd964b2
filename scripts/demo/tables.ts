// The demo's two tables: verdicts by the policy that decided, and by what the agent did.
import type { Posted, Verdict } from './post.ts';
import { count, formatList, formatMilliseconds, formatTable, type Column } from './screen.ts';

/** A policy as it is listed. */
export interface ListedPolicy {
  _id: string;
  name: string;
  conditions: object[];
  actions: { type: string }[];
  matchCount: number;
}

/** Rows of the second table. */
const MOST_ACTIONS = 15;

const createRightColumn = (title: string): Column => ({ title, align: 'right' });

function describeTimes(group: readonly Posted[]): string[] {
  const sorted = group.map(({ ms }) => ms).sort((a, b) => a - b);
  if (sorted.length === 0) return ['', ''];
  return [sorted[sorted.length >> 1] ?? 0, sorted.at(-1) ?? 0].map(formatMilliseconds);
}

function groupBy(posted: readonly Posted[], keyOf: (one: Posted) => string): Map<string, Posted[]> {
  const groups = new Map<string, Posted[]>();
  for (const one of posted) groups.set(keyOf(one), [...(groups.get(keyOf(one)) ?? []), one]);
  return groups;
}

/** `matched` counts every match, `decided` the decisions whose verdict the policy gave. */
export function renderPolicyTable(
  posted: readonly Posted[],
  policies: readonly ListedPolicy[],
): string {
  const decided = groupBy(posted, ({ verdict }) => verdict?.matchedPolicy?.name ?? '');
  const rows = policies
    .filter(({ matchCount }) => matchCount > 0)
    .map(({ name, actions, matchCount }) => {
      const group = decided.get(name) ?? [];
      return [
        name,
        actions.map(({ type }) => type).join(', '),
        count(matchCount),
        count(group.length),
        ...describeTimes(group),
      ];
    });
  const free = decided.get('') ?? [];
  const silent = policies.filter(({ matchCount }) => matchCount === 0).map(({ name }) => name);
  const columns = [
    ...[
      { title: 'policy' },
      { title: 'action' },
      createRightColumn('matched'),
      createRightColumn('decided'),
    ],
    ...[createRightColumn('median ms'), createRightColumn('slowest ms')],
  ];
  const approved = ['(no policy held it)', '', '', count(free.length), ...describeTimes(free)];
  const rest = silent.length > 0 ? `\n\n  Without a match:\n${formatList(silent.join('; '))}` : '';
  return formatTable(columns, [...rows, approved]) + rest;
}

const VERDICTS: readonly Verdict['status'][] = ['approved', 'flagged', 'blocked'];

/** Counts each verdict, in the order of `VERDICTS`. */
export function tally(posted: readonly Posted[]): number[] {
  return VERDICTS.map(
    (status) => posted.filter(({ verdict }) => verdict?.status === status).length,
  );
}

/** Renders the table by action: the most frequent ones, the others together, and all. */
export function renderActionTable(posted: readonly Posted[]): string {
  const groups = [...groupBy(posted, ({ decision }) => decision.action)].sort(
    ([, a], [, b]) => b.length - a.length,
  );
  const rare = groups.slice(MOST_ACTIONS);
  const toTableRow = ([name, group]: readonly [string, readonly Posted[]]): string[] => [
    ...[name, count(group.length), ...tally(group).map(count)],
    ...describeTimes(group),
  ];
  const columns = [
    ...[
      { title: 'what the agent did' },
      createRightColumn('decisions'),
      ...VERDICTS.map(createRightColumn),
    ],
    ...[createRightColumn('median ms'), createRightColumn('slowest ms')],
  ];
  return formatTable(columns, [
    ...groups.slice(0, MOST_ACTIONS).map(toTableRow),
    ...(rare.length > 0
      ? [toTableRow([`(${rare.length} others)`, rare.flatMap(([, group]) => group)])]
      : []),
    toTableRow(['(all)', posted]),
  ]);
}
