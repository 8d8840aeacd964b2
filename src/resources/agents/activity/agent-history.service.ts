// The recent history of an agent, as the confidence engine takes it into account.
import { LRUCache } from 'lru-cache';
import type { DecisionHistory } from '../../../domain/confidence/score.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Models } from '../../../models.ts';
import type { AgentActivityDocument } from './agent-activity.model.ts';

const NOTHING_KNOWN: DecisionHistory = { recentOverrideRate: null, recentFlagRate: null };
const KEPT = 10_000;
/** History moves slowly; every score records the rates it was computed from. */
const AGE_MS = 30_000;

export function createAgentHistoryService({ models, clock }: { models: Models; clock: Clock }) {
  const perf = { now: () => clock.now().getTime() };
  const known = new LRUCache<string, DecisionHistory>({
    max: KEPT,
    ttl: AGE_MS,
    ttlResolution: 0,
    perf,
  });
  return {
    async of(organizationId: string, agentId: string | null): Promise<DecisionHistory> {
      if (agentId === null) return NOTHING_KNOWN;
      const cached = known.get(agentId);
      if (cached) return cached;
      const activity = await models.agentActivity
        .findOne({ _id: agentId, organizationId }, 'recent')
        .lean<AgentActivityDocument>();
      const history = activity?.recent
        ? {
            recentOverrideRate: activity.recent.overrideRate,
            recentFlagRate: activity.recent.flagRate,
          }
        : NOTHING_KNOWN;
      known.set(agentId, history);
      return history;
    },
  };
}
export type AgentHistoryService = ReturnType<typeof createAgentHistoryService>;
