// What the nodes of the flow are called, how they look, and where they lead.
import { describeVerdict } from '../../../parts/verdict.tsx';
import type { FlowData } from '../overview-queries.ts';

export type Node = FlowData['nodes'][number];
export type Stage = Node['stage'];

export const STAGES = ['agent', 'policy', 'verdict', 'decider', 'outcome'] as const;
export const STAGE_TITLES: Readonly<Record<Stage, string>> = {
  agent: 'Agent',
  policy: 'Deciding policy',
  verdict: 'Verdict',
  decider: 'Person',
  outcome: 'Outcome',
};

const WORDS: Readonly<Record<Stage, Readonly<Record<string, string>>>> = {
  agent: { other: 'Other agents', unnamed: 'No agent named' },
  policy: { other: 'Other policies', none: 'No policy matched' },
  verdict: {},
  decider: {
    none: 'No person needed',
    waiting: 'Waits for a person',
    expired: 'Expired',
    withdrawn: 'Withdrawn by the agent',
    automatic: 'Approved automatically',
    key: 'By a key',
    erased: 'Erased',
    other: 'Others',
  },
  outcome: {
    waiting: 'Waiting',
    allowed: 'Allowed',
    claimed: 'Under way',
    succeeded: 'Carried out',
    failed: 'Failed',
    unknown: 'Outcome unknown',
    stopped: 'Stopped',
    erased: 'Erased',
    other: 'Others',
  },
};

const UNKNOWN: Readonly<Record<Stage, string>> = {
  agent: 'An unregistered agent',
  policy: 'A removed policy',
  verdict: 'Verdict',
  decider: 'A former member',
  outcome: 'Outcome',
};

/** `people`: names of members by their ids, as far as the reader may see them. */
export function formatNode(
  { stage, key, name }: Node,
  people: ReadonlyMap<string, string>,
): string {
  if (name !== null) return name;
  if (stage === 'verdict') return describeVerdict(key);
  const known = WORDS[stage][key];
  if (known !== undefined) return known;
  return (stage === 'decider' ? people.get(key) : undefined) ?? UNKNOWN[stage];
}

const TONES: Readonly<Record<string, string>> = {
  'verdict approved': 'approved',
  'verdict flagged': 'held',
  'verdict blocked': 'blocked',
  'decider waiting': 'held',
  'decider expired': 'blocked',
  'outcome waiting': 'held',
  'outcome allowed': 'approved',
  'outcome claimed': 'approved',
  'outcome succeeded': 'approved',
  'outcome failed': 'blocked',
  'outcome unknown': 'held',
  'outcome stopped': 'blocked',
};

/** The name of the colour. */
export const findTone = (stage: Stage, key: string): string =>
  TONES[`${stage} ${key}`] ?? 'neutral';

/** A link has the colour of the verdict or of the outcome that it leads to or comes from. */
export function findLinkTone({ stage, from, to }: FlowData['links'][number]): string {
  if (stage === 'policy') return findTone('verdict', to);
  if (stage === 'verdict') return findTone('verdict', from);
  return stage === 'decider' ? findTone('outcome', to) : 'neutral';
}

/** Filters of Live; null: the review queue has it. */
export function findFilters({ stage, key, name }: Node): Record<string, string> | null {
  if (key === 'other' || key === 'none' || key === 'unnamed') return {};
  // An agent that is not registered is found by its name, while that is known.
  if (stage === 'agent' && key.startsWith('~')) return name === null ? {} : { agent: name };
  if (stage === 'agent') return { agent: key };
  if (stage === 'policy') return { policy: key };
  if (stage === 'verdict') return { status: key };
  if (key === 'waiting') return null;
  if (stage === 'decider') return key.length === 24 ? null : {};
  return { status: key === 'stopped' ? 'blocked' : 'approved' };
}
