// Limits of policies in words: what may be spent by whom in which time, and what is left of it.
import { ApiError } from '../../api/api-error.ts';
import type { components } from '../../api/schema.gen.d.ts';
import { formatToMinute } from '../time.tsx';
import { isObject } from '../decision-text.ts';

export type LimitNotice = components['schemas']['LimitNotices'][number];
export type Limit = Pick<LimitNotice, 'type' | 'of' | 'per' | 'window' | 'most'>;

export const SCOPE_WORDS = {
  session: 'for each session',
  agent: 'for each agent',
  workspace: 'for each workspace',
  organization: 'for the organisation',
  person: 'for each person',
} as const satisfies Record<Limit['per'], string>;

export const WINDOW_WORDS = {
  '1h': 'in 1 hour',
  '24h': 'in 24 hours',
  '7d': 'in 7 days',
  '30d': 'in 30 days',
  ever: 'in all',
} as const satisfies Record<Limit['window'], string>;

const TYPE_WORDS = { block: 'blocks', flag_for_review: 'holds' } as const;

/** Counts each act as one. */
export const ACTS = 'acts';

/** Sums have up to nine places. */
const numbers = new Intl.NumberFormat('en', { maximumFractionDigits: 9 });
export const formatAmount = (amount: number): string => numbers.format(amount);

const describeMost = ({ of, most }: Pick<Limit, 'of' | 'most'>): string =>
  of === ACTS
    ? `${formatAmount(most)} act${most === 1 ? '' : 's'}`
    : `${formatAmount(most)} of ${of}`;

/** As `500 of action.totalAmount for each agent in 24 hours, then blocks`. */
export const describeLimit = ({ per, window, type, ...sum }: Limit): string =>
  `${describeMost(sum)} ${SCOPE_WORDS[per]} ${WINDOW_WORDS[window]}, then ${TYPE_WORDS[type]}`;

type Left = Pick<LimitNotice, 'left' | 'freesAt' | 'window'>;

/** What was left when a decision would have passed the limit. */
export function describeLeft({ left, freesAt, window }: Left): string {
  if (left === null) return 'What it adds cannot be read as a number';
  const rest = `${formatAmount(left)} left`;
  if (freesAt !== null) return `${rest}, more from ${formatToMinute(freesAt)}`;
  return window === 'ever' ? `${rest}, and no more later` : rest;
}

interface PolicyAction {
  type: string;
  config?: Record<string, unknown>;
}

/** The limits in the actions of a policy. */
export function readLimits(actions: readonly PolicyAction[]): Limit[] {
  return actions.flatMap(({ type, config }) => {
    const limit = config?.['limit'];
    return isObject(limit) && Object.hasOwn(TYPE_WORDS, type)
      ? [{ ...(limit as Omit<Limit, 'type'>), type: type as Limit['type'] }]
      : [];
  });
}

/** The limits that refused a request; null: it failed for another reason. */
export function readRefusal(error: unknown): readonly LimitNotice[] | null {
  if (!(error instanceof ApiError) || error.code !== 'LIMIT_REACHED') return null;
  const limits: unknown = error.data?.['limits'];
  return Array.isArray(limits) ? (limits as LimitNotice[]) : null;
}
