// The flow of decisions: counted paths as nodes of five stages, and links between neighbouring stages.
import { type DecisionPath, OTHER } from './decision-path.ts';

export const STAGES = ['agent', 'policy', 'verdict', 'decider', 'outcome'] as const;
export type Stage = (typeof STAGES)[number];

export interface CountedPath extends Omit<DecisionPath, 'policies'> {
  /** The policy that decided; `none`: no policy matched. */
  policy: string;
  count: number;
}

export interface FlowNode {
  stage: Stage;
  key: string;
  count: number;
}

export interface FlowLink {
  /** Keys of a node, and of one of the next stage. */
  stage: Stage;
  from: string;
  to: string;
  count: number;
}

export interface Flow {
  total: number;
  nodes: FlowNode[];
  links: FlowLink[];
}

/** The most frequent nodes of each stage stay; the others of the stage become one. */
export function buildFlow(paths: readonly CountedPath[], most: number): Flow {
  const places = paths.map(toPlaces);
  const kept = STAGES.map((_, at) => keepFrequent(places, at, most));
  const folded = places.map(({ keys, count }) => ({
    keys: keys.map((key, at) => (kept[at]?.has(key) === true ? key : OTHER)),
    count,
  }));
  const total = paths.reduce((sum, { count }) => sum + count, 0);
  const nodes = STAGES.flatMap((stage, at) =>
    rankSums(sumBy(folded, (keys) => keys[at] ?? OTHER)).map(([key, count]) => ({
      stage,
      key,
      count,
    })),
  );
  return { total, nodes, links: STAGES.slice(0, -1).flatMap((_, at) => listLinks(folded, at)) };
}

interface Place {
  keys: readonly string[];
  count: number;
}

const toPlaces = ({ agent, policy, verdict, decider, outcome, count }: CountedPath): Place => ({
  keys: [agent, policy, verdict, decider, outcome],
  count,
});

function keepFrequent(places: readonly Place[], at: number, most: number): ReadonlySet<string> {
  const ranked = rankSums(sumBy(places, (keys) => keys[at] ?? OTHER));
  const named = ranked.filter(([key]) => key !== OTHER);
  return new Set(named.slice(0, most).map(([key]) => key));
}

function listLinks(places: readonly Place[], at: number): FlowLink[] {
  const stage = STAGES[at] ?? 'agent';
  const sums = sumBy(places, (keys) => JSON.stringify([keys[at], keys[at + 1]]));
  return rankSums(sums).map(([pair, count]) => {
    const [from, to] = JSON.parse(pair) as [string, string];
    return { stage, from, to, count };
  });
}

function sumBy(
  places: readonly Place[],
  toKey: (keys: readonly string[]) => string,
): Map<string, number> {
  const sums = new Map<string, number>();
  for (const { keys, count } of places) {
    const key = toKey(keys);
    sums.set(key, (sums.get(key) ?? 0) + count);
  }
  return sums;
}

/** The most frequent first; equal ones by their keys, so that an answer does not change by chance. */
function rankSums(sums: ReadonlyMap<string, number>): [string, number][] {
  const compareKeys = (a: string, b: string): number => (a < b ? -1 : 1);
  return [...sums].sort(([a, x], [b, y]) => y - x || compareKeys(a, b));
}
