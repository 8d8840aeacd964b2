// Halts by itself: what policies say, at once and by the outbox should the instance end before; and for members.
import { truncate } from '@assay/json';
import { isBinding, type PolicyHalt } from '../../domain/halt/halt.ts';
import { joinStops } from '../../domain/halt/stops.ts';
import { toActPlace } from '../../domain/halt/act.ts';
import { computeKeyedDigest } from '../../domain/keyed-digest.ts';
import { loadStoredDecision } from '../../decisions/traces/decision-lookup.service.ts';
import type { HaltingDecision } from '../../decisions/traces/neighbours.service.ts';
import { loadTextScrubber } from '../../decisions/traces/scrubbing/read-scrubbers.service.ts';
import type { TraceDocument } from '../../decisions/traces/traces.model.ts';
import type { OutboxDocument } from '../../platform/outbox/outbox.model.ts';
import type { OutboxRow } from '../../platform/outbox/outbox-writer.ts';
import type { Platform } from '../../platform/platform.ts';
import { BINDING_MAX, isHaltedAlready, sealHalt } from './halt-entries.service.ts';
import { type HaltTarget, toSessionTarget } from './halt-targets.service.ts';
import { HALT_TOPIC } from './halt-topic.ts';
import { followMembership } from './member-halts.service.ts';

const REASON_CHARACTERS = 500;
const MEMBERS = 'traceId workspaceId agentId agentName answer sessionId deletedAt';

/** Writes what is halted for a decision that was sealed, should its instance have ended before it did. */
export const toHaltRow = (
  organizationId: string,
  { traceId, sequence }: Pick<TraceDocument, 'traceId' | 'sequence'>,
): OutboxRow => ({
  organizationId,
  topic: HALT_TOPIC,
  subject: traceId,
  sequence,
  payload: { traceId },
});

/** Halts for the decision or the member of a row; again without effect. */
export async function deliverHalt(
  platform: Platform,
  { organizationId: id, payload }: OutboxDocument,
): Promise<void> {
  const organizationId = id.toHexString();
  const { traceId, userId } = payload as { traceId?: string; userId?: string };
  if (userId !== undefined) await followMembership(platform, organizationId, userId);
  if (traceId !== undefined) await haltDecided(platform, organizationId, traceId);
}

async function haltDecided(
  platform: Platform,
  organizationId: string,
  traceId: string,
): Promise<void> {
  const found = await loadStoredDecision<TraceDocument>(
    platform,
    { organizationId, traceId },
    MEMBERS,
  );
  if (found && !found.deletedAt) await haltByPolicy(platform, organizationId, found);
}

/** Halts what the policy says that blocked this decision; again without effect. */
export async function haltByPolicy(
  platform: Platform,
  organizationId: string,
  decision: HaltingDecision,
): Promise<void> {
  const { traceId, workspaceId, answer } = decision;
  if (!answer.halts) return;
  const scrubber = await loadTextScrubber(platform, organizationId);
  const scrub = (text: string): string => scrubber.scrubString(text).text;
  const { name, ...target } = await findTarget(platform, organizationId, decision);
  const tenant = { organizationId, workspaceId, actor: { kind: 'system', id: null } } as const;
  const once = computeKeyedDigest(platform.secrets.ledgerKey, `halt:${organizationId}:${traceId}`);
  const said = {
    ...target,
    state: 'halted',
    name: scrub(name),
    reason: scrub(describe(traceId, answer.halts, answer)),
    by: { cause: 'policy', policy: answer.halts.policy, traceId },
    once,
  } as const;
  await sealHalt({ platform, tenant }, said, isHaltedAlready('halted'));
}

function describe(
  traceId: string,
  { name }: PolicyHalt,
  { policy }: Pick<TraceDocument['answer'], 'policy'>,
): string {
  const why = policy?.name === name ? `: ${policy.reason}` : '';
  return truncate(`The policy "${name}" blocked ${traceId}${why}`, REASON_CHARACTERS);
}

/** The agent, where the decision names no session or too much is halted to remember another one. */
async function findTarget(
  platform: Platform,
  organizationId: string,
  decision: HaltingDecision,
): Promise<HaltTarget & { scope: 'session' | 'agent' }> {
  const { ledger } = platform;
  const { answer, agentName, agentId } = decision;
  const isSession =
    answer.halts?.scope === 'session' &&
    joinStops(await ledger.halts.listRecords(organizationId)).filter(isBinding).length <
      BINDING_MAX;
  const session = isSession ? toSessionTarget(platform, organizationId, decision) : null;
  if (session) return { scope: 'session', ...session };
  const { agent: target } = toActPlace(decision, undefined);
  return { scope: 'agent', target, name: agentName ?? agentId };
}
