// Limits of policies with what is spent of them, and the decisions that spent it.
import { queryOptions } from '@tanstack/react-query';
import { api, readData } from '../../api/client.ts';
import type { components } from '../../api/schema.gen.d.ts';

export type Budget = components['schemas']['LimitBudget'];
export type BudgetSum = Budget['sums'][number];

export interface BudgetFilters {
  /** The id of a policy. */
  policy?: string;
  at?: string;
}

export const createBudgetsQuery = ({ policy, at }: BudgetFilters) =>
  queryOptions({
    queryKey: ['budgets', policy ?? 'all', at ?? 'now'],
    queryFn: ({ signal }) => {
      const query = { ...(policy && { policyId: policy }), ...(at && { at }) };
      return readData(api.GET('/api/v1/budgets', { params: { query }, signal }));
    },
    // A policy may have changed since.
    staleTime: 0,
    // Another time is another view of the same limits.
    placeholderData: (before: Budget[] | undefined, query) =>
      query?.queryKey[1] === (policy ?? 'all') ? before : undefined,
  });

const HOUR_MS = 3_600_000;
const WINDOW_HOURS = { '1h': 1, '24h': 24, '7d': 168, '30d': 720, ever: null } as const;
/** A window is counted in 24 whole slots, so its oldest part is up to one slot older. */
const SLOTS = 24;

/** The filters of the decisions behind a sum. What they share of workspace or person cannot be searched for. */
export function findDecisions(
  { policyId, window }: Budget,
  { agentId, sessionId }: BudgetSum['target'],
  { at, now }: { at: string | undefined; now: number },
): { policy: string; agent?: string; session?: string; from?: string; to?: string } {
  const hours = WINDOW_HOURS[window];
  const end = at === undefined ? now : Date.parse(at);
  const from = hours === null ? null : end - hours * HOUR_MS * (1 + 1 / SLOTS);
  return {
    policy: policyId,
    ...(agentId !== null && { agent: agentId }),
    ...(sessionId !== null && { session: sessionId }),
    ...(from !== null && { from: new Date(from).toISOString() }),
    ...(at !== undefined && { to: at }),
  };
}
