// Policies in words: the strongest action, and a share with how sure it is.
import type { components } from '../../api/schema.gen.d.ts';
import type { Tone } from '../../parts/verdict.tsx';
import type { APPROVAL_STATES } from './policies.route.ts';

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

/** What a policy does with decisions. */
export const POLICY_STATES = [
  { value: 'on', label: 'Judges' },
  { value: 'observe', label: 'Observes only' },
  { value: 'off', label: 'Off' },
] as const;
export type PolicyStateName = (typeof POLICY_STATES)[number]['value'];

interface Switches {
  enabled: boolean;
  observe?: boolean;
}

export function readState({ enabled, observe }: Switches): PolicyStateName {
  if (!enabled) return 'off';
  return observe === true ? 'observe' : 'on';
}

/** A policy in another state; what is off keeps whether it would observe. */
export function toState<P extends Switches>(policy: P, state: PolicyStateName): P {
  const { observe: before = false } = policy;
  const observe = state === 'off' ? before : state === 'observe';
  return { ...policy, enabled: state !== 'off', observe };
}

export const formatPercent = (value: number): string =>
  `${(100 * value).toLocaleString('en', { maximumFractionDigits: value < 0.1 ? 1 : 0 })} %`;

type Share = components['schemas']['PolicyEffectiveness']['policies'][number]['precision'];

/** A share with its 95 % interval. */
export const formatShare = (share: Share | undefined): string =>
  share
    ? `${formatPercent(share.value)} (${formatPercent(share.low)} to ${formatPercent(share.high)})`
    : '—';

export type ApprovalState = (typeof APPROVAL_STATES)[number];

export const APPROVAL_LOOKS: Readonly<Record<ApprovalState, { word: string; tone: Tone }>> = {
  draft: { word: 'Draft', tone: 'neutral' },
  pending_review: { word: 'Waits for review', tone: 'warning' },
  approved_pending_enforcement: { word: 'Waits for enforcement', tone: 'warning' },
  broken_glass: { word: 'In force, waits for review', tone: 'warning' },
  promoted: { word: 'In force', tone: 'good' },
  rejected: { word: 'Rejected', tone: 'bad' },
  withdrawn: { word: 'Withdrawn', tone: 'neutral' },
};
