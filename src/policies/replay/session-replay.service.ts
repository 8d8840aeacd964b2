// Judges the decisions of a session by the policies of today, and says which policy would decide.
import { findProducer } from '../../identity/agents/agent-resolver.service.ts';
import {
  listSessionDecisions,
  type SessionDecisions,
} from '../../decisions/traces/sessions/history/agent-sessions.service.ts';
import type { PolicySet } from '@assay/policy';
import type { Context } from '../../platform/context.ts';
import { loadPolicySet } from '../policy-sets.service.ts';
import { sendToReplayThread } from './replay-pool.ts';
import type { RejudgedDecision } from './replay-judge.service.ts';
import type { SessionReplay, SessionReplayInput } from './replay.schemas.ts';

/** Decisions that the thread judges at a time: some milliseconds. */
const PORTION = 16;

/** @throws AppError `NOT_FOUND` */
export async function replaySession(
  ctx: Context,
  name: string,
  input: SessionReplayInput,
): Promise<SessionReplay> {
  const { sequences, before, ...place } = await listSessionDecisions(ctx, name, input);
  const { digest, definitions } = await loadTodaysSet(ctx, place);
  const names = new Map(definitions.map((policy) => [policy.id, policy.name]));
  const judged = await evaluateInPortions(ctx, digest, sequences);
  const decisions = judged.map(({ policyId, ...one }) => ({
    ...one,
    policy: policyId === null ? null : { id: policyId, name: names.get(policyId) ?? '' },
  }));
  return { policySetDigest: digest, decisions, before };
}

/** The policies of its workspace, and those of the home of its agent where that is another one. */
async function loadTodaysSet(
  ctx: Context,
  { traceId, workspaceId, agentId }: Omit<SessionDecisions, 'sequences' | 'before'>,
): Promise<PolicySet> {
  const { organizationId } = ctx.tenant;
  const home = (await findProducer(ctx, agentId ?? ''))?.workspaceId.toHexString() ?? workspaceId;
  const workspaces = home === workspaceId ? workspaceId : ([workspaceId, home] as const);
  return loadPolicySet(ctx.platform, { organizationId, workspaces }, traceId);
}

async function evaluateInPortions(
  { platform, tenant: { organizationId, signal } }: Context,
  digest: string,
  all: readonly number[],
): Promise<RejudgedDecision[]> {
  const judged: RejudgedDecision[] = [];
  for (let at = 0; at < all.length; at += PORTION) {
    signal?.throwIfAborted();
    const sequences = all.slice(at, at + PORTION);
    const portion = { kind: 'decisions', organizationId, digest, sequences } as const;
    judged.push(...(await sendToReplayThread(platform, portion, signal)));
  }
  return judged;
}
