// The action `notify`: notifies managers of a policy's match, whichever policy decided (policies.md, notices).
import type { ClientSession } from 'mongoose';
import { type PolicyDefinition, toPolicyMatch } from '@assay/policy';
import type { EventAbout } from '../../domain/events/event-table.ts';
import { drawArm } from '../../domain/policies/changes/canary.ts';
import type { Consumer } from '../../ledger/follow/consumer.ts';
import type { TraceDocument } from '../../decisions/traces/traces.model.ts';
import { selectArmPolicies } from '../canary/policy-arms.ts';
import type { PolicyDocument } from '../policies.model.ts';
import type { PolicyNoticeDocument } from './policy-notices.model.ts';
import type { Platform } from '../../platform/platform.ts';
import { notify } from '../../events/notifications/notices/notices.service.ts';

/** Quiet period after a notice, in which the policy sends no other. */
const NOTICE_QUIET_MS = 5 * 60_000;

interface Context {
  organizationId: string;
  session: ClientSession;
}

type MatchedTrace = Pick<TraceDocument, 'traceId' | 'verdict' | 'matchedPolicyIds' | 'createdAt'>;

/** Part of a filter: the policies that notify as they are now, in either arm of a canary. */
const NOTIFYING: object = {
  deletedAt: null,
  $or: [{ 'actions.type': 'notify' }, { 'canary.control.actions.type': 'notify' }],
};

export function createPolicyNoticesConsumer(platform: Platform): Consumer<TraceDocument> {
  return {
    name: 'policy-notices',
    from: 'head',
    kinds: ['trace'],
    projection: { traceId: 1, verdict: 1, matchedPolicyIds: 1, createdAt: 1, erasedAt: 1 },
    async consume(entries, context) {
      const matched = entries.filter(
        ({ matchedPolicyIds, erasedAt }) => matchedPolicyIds.length > 0 && !erasedAt,
      );
      if (matched.length === 0) return;
      for (const policy of await loadNotifyingPolicies(platform, matched, context))
        await follow(platform, { policy, matched }, context);
    },
  };
}

/** Loads those of the matched policies that notify. */
function loadNotifyingPolicies(
  { models }: Platform,
  matched: readonly MatchedTrace[],
  { organizationId, session }: Context,
): Promise<PolicyDocument[]> {
  const ids = [...new Set(matched.flatMap(({ matchedPolicyIds }) => matchedPolicyIds))];
  return models.policies
    .find({ organizationId, _id: { $in: ids }, ...NOTIFYING })
    .session(session)
    .lean<PolicyDocument[]>();
}

/** Sends a notice for each match after the quiet period. */
async function follow(
  platform: Platform,
  { policy, matched }: { policy: PolicyDocument; matched: readonly MatchedTrace[] },
  { organizationId, session }: Context,
): Promise<void> {
  const { models } = platform;
  const where = { _id: policy._id, organizationId };
  const lastNotice = await models.policyNotices
    .findOne(where)
    .session(session)
    .lean<PolicyNoticeDocument>();
  const before = lastNotice?.toldAt ?? new Date(0);
  let notifiedAt = before;
  for (const trace of matched) {
    if (trace.createdAt.getTime() - notifiedAt.getTime() < NOTICE_QUIET_MS) continue;
    const about = describeMatch(policy, trace);
    if (!about) continue;
    notifiedAt = trace.createdAt;
    await notify(platform, { organizationId, event: 'policy.matched', about: [about] }, session);
  }
  if (notifiedAt === before) return;
  const $set = { toldAt: notifiedAt };
  await models.policyNotices.updateOne(where, { $set }, { upsert: true, session });
}

/** Returns null when the policy did not match the decision, or does not notify in the arm that judged it. */
function describeMatch(
  policy: PolicyDocument,
  trace: MatchedTrace,
): EventAbout<'policy.matched'> | null {
  const { _id, canary } = policy;
  if (!trace.matchedPolicyIds.includes(_id.toHexString())) return null;
  const arm = canary
    ? drawArm({ id: canary.id.toHexString(), share: canary.share }, trace.traceId)
    : 'control';
  const [judging] = selectArmPolicies(arm, [policy]);
  return judging ? toMatchAbout(judging, trace) : null;
}

/** The policy's own text, and only id and verdict of the decision. Returns null when the policy does not notify. */
function toMatchAbout(
  policy: PolicyDefinition,
  { traceId, verdict }: { traceId: string; verdict: string },
): EventAbout<'policy.matched'> | null {
  const { notifications, reason } = toPolicyMatch(policy);
  if (notifications.length === 0) return null;
  const reasons = notifications.map((config) => config['reason']);
  const ownReason = reasons.find((text) => typeof text === 'string' && text !== '') as
    | string
    | undefined;
  return { policy: policy.name, traceId, verdict, reason: ownReason ?? reason };
}
