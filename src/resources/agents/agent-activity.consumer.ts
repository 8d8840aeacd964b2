// What ingestion tells of each agent: lifetime verdicts, versions, last activity, rolled status, recent history (document 1, section 2, Agent).
import type { ClientSession } from 'mongoose';
import { groupBy } from '../../domain/group-by.ts';
import { rollStatus, statusWindow } from '../../domain/agent-status.ts';
import type { Consumer } from '../../ledger/consumer.ts';
import type { Models } from '../../models.ts';
import type { TraceDocument } from '../traces/traces.model.ts';
import type { AgentActivityDocument } from './agent-activity.model.ts';

type Observed = Pick<TraceDocument, 'agentId' | 'agentName' | 'agentVersion' | 'verdict' | 'createdAt'>;

const BATCH = 512;
/** Human verdicts that the override rate needs to say anything. */
const LEAST_JUDGED = 5;

export function agentActivityConsumer(models: Models): Consumer {
  return {
    name: 'agent-activity',
    kinds: ['trace'],
    batch: BATCH,
    projection: { agentId: 1, agentName: 1, agentVersion: 1, verdict: 1, createdAt: 1 },
    async run(entries, { session, organizationId }) {
      // A decision that names no agent of the organisation may carry anything as `agentId`, another tenant's id too.
      const observed = (entries as unknown as Observed[]).filter(({ agentName }) => agentName !== null);
      for (const [agentId, decisions] of groupBy(observed, (entry) => entry.agentId))
        await observe(models, { organizationId, agentId, decisions, session });
    },
  };
}

interface Observation {
  organizationId: string;
  agentId: string;
  /** Oldest first, at least one. */
  decisions: Observed[];
  session: ClientSession;
}

async function observe(models: Models, { organizationId, agentId, decisions, session }: Observation): Promise<void> {
  const where = { _id: agentId, organizationId };
  const before = await models.agentActivity.findOne(where).session(session).lean<AgentActivityDocument>();
  const recent = await models.traces
    .find({ organizationId, agentId }, 'status confidenceScore humanOverride review.status')
    .session(session)
    .sort({ sequence: -1 })
    .limit(statusWindow.size)
    .lean<TraceDocument[]>();
  const set = {
    status: rollStatus(before?.status ?? 'healthy', recent),
    lastActive: decisions.at(-1)?.createdAt ?? null,
    versions: withVersions(before?.versions ?? [], decisions),
    recent: historyOf(recent),
  };
  const count = (verdict: Observed['verdict']): number =>
    decisions.filter((decision) => decision.verdict === verdict).length;
  const $inc = {
    'verdicts.approved': count('approved'),
    'verdicts.flagged': count('flagged'),
    'verdicts.blocked': count('blocked'),
  };
  await models.agentActivity.updateOne(where, { $set: set, $inc }, { upsert: true, session });
}

function withVersions(
  known: AgentActivityDocument['versions'],
  decisions: readonly Observed[],
): AgentActivityDocument['versions'] {
  const versions = new Map(known.map((entry) => [entry.version, { ...entry }]));
  for (const { agentVersion: version, createdAt } of decisions) {
    if (version === null) continue;
    const seen = versions.get(version) ?? { version, firstSeenAt: createdAt, lastSeenAt: createdAt, traces: 0 };
    versions.set(version, { ...seen, lastSeenAt: createdAt, traces: seen.traces + 1 });
  }
  return [...versions.values()];
}

/** Shares of the recent decisions, of which there is at least one; the override rate is null until enough were judged by a human. */
function historyOf(recent: readonly TraceDocument[]): AgentActivityDocument['recent'] {
  const judged = recent.filter(({ humanOverride, review }) => humanOverride || (review && review.status !== 'pending'));
  const share = (part: number, whole: number): number => Math.round((part / whole) * 10_000) / 10_000;
  return {
    overrideRate:
      judged.length < LEAST_JUDGED
        ? null
        : share(judged.filter(({ humanOverride }) => humanOverride).length, judged.length),
    flagRate: share(recent.filter(({ status }) => status === 'flagged' || status === 'blocked').length, recent.length),
  };
}
