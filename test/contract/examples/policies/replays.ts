// Replays of candidates over stored decisions.
import { setTimeout } from 'node:timers/promises';
import { toObjectId } from '../../../setup/harness.ts';
import { createPolicyBody } from '../../bodies.ts';
import type { Tenant } from '../../tenant.ts';
import { managers, denyForeigner, readersInPerson } from '../access.ts';
import { page, type ResourceExamples } from '../example.ts';

const free = [
  'policy.conditions.0.value',
  'policy.actions.0.config',
  'policy.actions.0.config.reason',
];

/** Takes the lease of the job, so that replays stay queued. */
async function holdJob({ harness }: Tenant): Promise<void> {
  const lease = { holder: 'another instance', until: new Date(Date.now() + 3_600_000) };
  await harness.db
    .collection<{ _id: string }>('leases')
    .updateOne({ _id: 'job:policies.replay' }, { $set: lease }, { upsert: true });
}

/** Creates a replay that never begins; a run already under way may still take one. */
async function createReplay(tenant: Tenant): Promise<string> {
  await holdJob(tenant);
  const replays = tenant.harness.db.collection('policy_replays');
  for (;;) {
    const id = await queueReplay(tenant);
    await setTimeout(20);
    if (await replays.findOne({ _id: toObjectId(id), state: 'queued' })) return id;
  }
}

async function queueReplay({ harness, owner, workspaceId }: Tenant): Promise<string> {
  const at = { createdAt: new Date(), updatedAt: new Date() };
  const { insertedId } = await harness.db.collection('policy_replays').insertOne({
    organizationId: toObjectId(owner.organizationId),
    workspaceId: toObjectId(workspaceId),
    policyId: null,
    candidate: null,
    members: [],
    state: 'queued',
    limit: 1,
    total: null,
    done: 0,
    below: 1,
    ...Object.fromEntries(
      [
        'allowToBlock',
        'blockToAllow',
        'unchanged',
        'cannotTell',
        'approvedToFlagged',
        'flaggedToApproved',
        'halting',
        'faults',
      ].map((name) => [name, 0]),
    ),
    untold: { erased: 0, unstored: 0, scrubbed: 0, engine: 0, error: 0 },
    examples: [],
    startedBy: toObjectId(owner.userId),
    finishedAt: null,
    ...at,
  });
  return insertedId.toHexString();
}

async function endReplays({ harness, owner }: Tenant): Promise<void> {
  await harness.db
    .collection('policy_replays')
    .updateMany({ organizationId: toObjectId(owner.organizationId) }, { $set: { state: 'done' } });
}

export const policyReplays: ResourceExamples = {
  access: {
    'POST /api/v1/policies/_new/replay': managers,
    'POST /api/v1/policies/:id/replay': denyForeigner(managers),
    'GET /api/v1/policies/replays': readersInPerson,
    'GET /api/v1/policies/replays/:id': denyForeigner(readersInPerson),
    'POST /api/v1/policies/replays/:id/cancel': denyForeigner(managers),
  },
  examples: {
    'POST /api/v1/policies/_new/replay': async (tenant) => {
      await endReplays(tenant);
      return { body: { policy: createPolicyBody(tenant.mark), limit: 10 } };
    },
    'POST /api/v1/policies/:id/replay': async (tenant) => {
      await endReplays(tenant);
      return {
        params: { id: tenant.policyId },
        body: { policy: createPolicyBody(tenant.mark), limit: 10 },
      };
    },
    'GET /api/v1/policies/replays': () => ({ query: page }),
    'GET /api/v1/policies/replays/:id': async (tenant) => ({
      params: { id: await createReplay(tenant) },
    }),
    'POST /api/v1/policies/replays/:id/cancel': async (tenant) => ({
      params: { id: await createReplay(tenant) },
    }),
  },
  freeForm: {
    'POST /api/v1/policies/_new/replay': free,
    'POST /api/v1/policies/:id/replay': free,
  },
};
