// Caches the recent history of agents for the confidence engine.
import { LRUCache } from 'lru-cache';
import type { Platform } from '../../../platform/platform.ts';
import type { DecisionHistory } from '../../../domain/confidence/score.ts';
import type { AgentActivityDocument } from './agent-activity.model.ts';
import { limitEntries } from '../../../domain/entry-limit.ts';
import { perInstance } from '../../../platform/per-instance.ts';

const NO_HISTORY: DecisionHistory = { recentOverrideRate: null, recentFlagRate: null };
const CACHE_MAX = 10_000;
/** A short delay is harmless: history changes slowly, and every score records the rates it was computed from. */
const TTL_MS = 30_000;

const openHistories = perInstance(
  ({ clock }) =>
    new LRUCache<string, DecisionHistory>({
      ...limitEntries(CACHE_MAX),
      ttl: TTL_MS,
      ttlResolution: 0,
      perf: { now: () => clock.now().getTime() },
    }),
);

export async function loadAgentHistory(
  platform: Platform,
  organizationId: string,
  agentId: string | null,
): Promise<DecisionHistory> {
  if (agentId === null) return NO_HISTORY;
  return openHistories(platform).get(agentId) ?? readHistory(platform, organizationId, agentId);
}

async function readHistory(
  platform: Platform,
  organizationId: string,
  agentId: string,
): Promise<DecisionHistory> {
  const activity = await platform.models.agentActivity
    .findOne({ _id: agentId, organizationId }, 'recent')
    .lean<AgentActivityDocument>();
  const history = activity?.recent
    ? {
        recentOverrideRate: activity.recent.overrideRate,
        recentFlagRate: activity.recent.flagRate,
      }
    : NO_HISTORY;
  openHistories(platform).set(agentId, history);
  return history;
}
