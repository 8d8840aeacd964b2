// Policies in words: the strongest action, and a share with how sure it is.
import type { components } from '../../api/schema.gen.d.ts';

type ActionType = components['schemas']['PolicyActionType'];

/** The strongest first. */
const ACTIONS: Readonly<Record<ActionType, { word: string; status: string }>> = {
  block: { word: 'Blocks', status: 'blocked' },
  flag_for_review: { word: 'Holds', status: 'flagged' },
  notify: { word: 'Notifies', status: 'notify' },
  approve: { word: 'Lets through', status: 'approved' },
};
const ORDER = Object.keys(ACTIONS) as ActionType[];

export function findStrongest(actions: readonly { type: ActionType }[]): {
  word: string;
  status: string;
} {
  const strongest = ORDER.find((type) => actions.some((action) => action.type === type));
  return ACTIONS[strongest ?? 'approve'];
}

export const formatPercent = (value: number): string =>
  `${(100 * value).toLocaleString('en', { maximumFractionDigits: value < 0.1 ? 1 : 0 })} %`;

type Share = components['schemas']['PolicyEffectiveness']['policies'][number]['precision'];

/** A share with its 95 % interval. */
export const formatShare = (share: Share | undefined): string =>
  share
    ? `${formatPercent(share.value)} (${formatPercent(share.low)} to ${formatPercent(share.high)})`
    : '—';

export const APPROVAL_WORDS: Readonly<Record<string, string>> = {
  draft: 'Draft',
  pending_review: 'Waits for review',
  approved_pending_enforcement: 'Waits for enforcement',
  broken_glass: 'In force, waits for review',
  promoted: 'In force',
  rejected: 'Rejected',
  withdrawn: 'Withdrawn',
};
