// The pages of one-time links: anyone who has a link may open it, and its page decides what they may do.
import { createHash } from 'node:crypto';
import { generateHex } from '../../../../src/platform/ids.ts';
import { toObjectId } from '../../../setup/harness.ts';
import { createHeldItem } from './review-queue.ts';
import type { Tenant } from '../../tenant.ts';
import { everybody } from '../access.ts';
import type { ResourceExamples } from '../example.ts';

/** A link to a held decision, sent to the owner. */
async function createLink(tenant: Tenant): Promise<string> {
  const { id, traceId, actionDigest } = await createHeldItem(tenant);
  const token = generateHex(20);
  await tenant.harness.db.collection('review_links').insertOne({
    organizationId: toObjectId(tenant.owner.organizationId),
    tokenHash: createHash('sha256').update(token).digest('hex'),
    traceId,
    reviewId: toObjectId(id),
    actionDigest,
    userId: toObjectId(tenant.owner.userId),
    receiver: null,
    spentAt: null,
    expiresAt: new Date(Date.now() + 3_600_000),
    createdAt: new Date(),
  });
  return token;
}

export const reviewLinks: ResourceExamples = {
  access: {
    'GET /decide/:token': everybody,
    'POST /decide/:token': everybody,
    'POST /decide/:token/sign-in': everybody,
  },
  examples: {
    'GET /decide/:token': async (tenant) => ({
      params: { token: await createLink(tenant) },
      query: { problem: 'credentials' },
    }),
    'POST /decide/:token': async (tenant) => ({
      params: { token: await createLink(tenant) },
      form: { decision: 'approve', reason: `${tenant.mark} reason` },
    }),
    'POST /decide/:token/sign-in': async (tenant) => ({
      params: { token: await createLink(tenant) },
      form: { email: `${generateHex(8)}@example.com`, password: tenant.mark, code: '000000' },
    }),
  },
};
