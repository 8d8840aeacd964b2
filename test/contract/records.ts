// Records that an example destroys or uses up, each made afresh for it.
import { composeInvitation } from '../../src/identity/team/invitation-mails.service.ts';
import { createHash } from 'node:crypto';
import type { Role } from '../../src/domain/identity/roles.ts';
import mongoose from 'mongoose';
import { generateHex } from '../../src/platform/ids.ts';
import { toObjectId, verifyMailbox } from '../setup/harness.ts';
import { createOwner, assertOk, type Owner } from '../setup/personas.ts';
import { buildWebhookSecretAad } from '../../src/events/webhooks/webhook-secret.ts';
import {
  createAlertBody,
  createDecisionBody,
  createScimUserBody,
  createWebhookBody,
} from './bodies.ts';
import { callAsOwner, type Tenant } from './tenant.ts';

const createObjectId = () => new mongoose.mongo.ObjectId();

/** The object id of a decision made for the purpose. */
export async function createDecision(tenant: Tenant): Promise<string> {
  const { harness, key, agentId, mark } = tenant;
  assertOk(
    await harness.app.call('POST', '/api/v1/traces', {
      key,
      body: createDecisionBody(agentId, mark),
    }),
  );
  const [newest] = await callAsOwner(tenant, 'GET /api/v1/traces?limit=1');
  return newest._id as string;
}

/** What a mail would have brought, made as the service keeps it. */
export async function createLinkToken(
  { harness }: Tenant,
  purpose: string,
  { userId, email }: Pick<Owner, 'userId' | 'email'>,
): Promise<string> {
  const token = generateHex(20);
  const now = Date.now();
  await harness.db.collection('one_time_tokens').insertOne({
    purpose,
    email,
    facts: {},
    attempts: 0,
    spentAt: null,
    tokenHash: createHash('sha256').update(token).digest('hex'),
    userId: userId === '' ? null : toObjectId(userId),
    createdAt: new Date(now),
    expiresAt: new Date(now + 600_000),
  });
  return token;
}

/** A mail token of a separate, verified user, so that no other record changes while they are counted. */
export const createStrangersToken = async (tenant: Tenant, purpose: string): Promise<string> => {
  const { harness, mark } = tenant;
  return createLinkToken(
    tenant,
    purpose,
    await verifyMailbox(harness, await createOwner(harness.app, mark)),
  );
};

/** The owner is asked whether to keep the organisation. */
export async function markReclaimed({ harness, owner }: Tenant): Promise<void> {
  await harness.db
    .collection('organizations')
    .updateOne({ _id: toObjectId(owner.organizationId) }, { $set: { reclaimedAt: new Date() } });
}

/** An organisation that added a user, who may leave it. */
export async function createOffer({ harness, mark }: Tenant, userId: string): Promise<string> {
  const { organizationId } = await createOwner(harness.app, mark);
  const at = { createdAt: new Date(), updatedAt: new Date() };
  await harness.db.collection('memberships').insertOne({
    organizationId: toObjectId(organizationId),
    userId: toObjectId(userId),
    role: 'viewer',
    isActive: true,
    ...at,
  });
  return organizationId;
}

/** A member whom the tenant added, created without a password. */
export async function createTenantMember(
  { harness, mark, owner }: Tenant,
  role: Role = 'member',
): Promise<string> {
  const userId = createObjectId();
  const at = { createdAt: new Date(), updatedAt: new Date() };
  await harness.db.collection('users').insertOne({
    _id: userId,
    email: `${generateHex(8)}@example.com`,
    name: `${mark} member`,
    mfa: { enabled: false },
    ...at,
  });
  await harness.db.collection('memberships').insertOne({
    organizationId: toObjectId(owner.organizationId),
    userId,
    role,
    isActive: true,
    deactivatedBy: null,
    lastLoginIp: null,
    ...at,
  });
  return userId.toHexString();
}

/** A delegation that each member of the organisation has as their own. */
export async function createDelegation(tenant: Tenant): Promise<string> {
  const _id = createObjectId();
  const delegateId = toObjectId(await createTenantMember(tenant, 'reviewer'));
  const times = { from: new Date(), until: new Date(Date.now() + 24 * 3_600_000) };
  await tenant.harness.db
    .collection('memberships')
    .updateMany(
      { organizationId: toObjectId(tenant.owner.organizationId) },
      { $set: { delegations: [{ _id, delegateId, ...times }] } },
    );
  return _id.toHexString();
}

/** A member who has signed on at the identity provider. */
export async function createLinkedMember(tenant: Tenant): Promise<string> {
  const userId = await createTenantMember(tenant);
  const signOn = { protocol: 'oidc', issuer: 'https://login.example.com', format: 'sub' };
  await tenant.harness.db
    .collection('memberships')
    .updateOne(
      { userId: toObjectId(userId) },
      { $set: { signOn: { ...signOn, subject: userId } } },
    );
  return userId;
}

/** A test of a sign-on that has ended. */
export async function createSignOnTrial({ harness, mark, owner }: Tenant): Promise<string> {
  const person = { subject: `${mark} subject`, subjectFormat: 'sub', email: null, name: null };
  const { insertedId } = await harness.db.collection('sign_on_trials').insertOne({
    organizationId: toObjectId(owner.organizationId),
    userId: toObjectId(owner.userId),
    provider: 'oidc',
    settings: null,
    result: {
      received: [{ name: 'sub', values: [`${mark} subject`] }],
      person: { ...person, groups: [`${mark} group`] },
      member: null,
      role: null,
      rule: null,
      problems: [{ code: 'FORBIDDEN', message: 'Identity provider sent no usable address' }],
    },
    expiresAt: new Date(Date.now() + 600_000),
    createdAt: new Date(),
  });
  return insertedId.toHexString();
}

/** A pending invitation and the token in its mail. */
export async function createInvitation(tenant: Tenant): Promise<{ id: string; token: string }> {
  const email = `${generateHex(8)}@example.com`;
  const { _id: id } = await callAsOwner(tenant, 'POST /api/v1/team/invite', { email });
  const mail = await composeInvitation(tenant.harness.app.instance.platform, {
    organizationId: toObjectId(tenant.owner.organizationId),
    payload: { invitationId: id as string },
  });
  return { id: id as string, token: mail?.action.token ?? '' };
}

/** The id of a user whom the directory has just provisioned; of the owner where the plan has no directory. */
export async function createScimUser({ harness, mark, owner, scimToken }: Tenant): Promise<string> {
  const call = { token: scimToken, body: createScimUserBody(mark) };
  const answer = await harness.app.call('POST', '/scim/v2/Users', call);
  return answer.body.code === 'UPGRADE_REQUIRED'
    ? owner.userId
    : (assertOk(answer).body.id as string);
}

export const createDomainName = ({ mark }: Tenant): string =>
  `${mark}-${generateHex(6)}.example.com`;

/** The id of a domain claim whose record is published. */
export async function createDomainClaim(tenant: Tenant): Promise<string> {
  const { harness, owner } = tenant;
  const [domain, challenge] = [createDomainName(tenant), generateHex(16)];
  const { insertedId } = await harness.db.collection('sso_domains').insertOne({
    organizationId: toObjectId(owner.organizationId),
    domain,
    challenge,
    verifiedAt: null,
    verifiedBy: null,
    createdAt: new Date(),
    updatedAt: new Date(),
  });
  const record = `assay-domain-verification=${challenge}`;
  harness.names.records.set(`_assay-challenge.${domain}`, [record]);
  return insertedId.toHexString();
}

/** There may be fifty. */
export async function dropDomainClaims({ harness, owner }: Tenant): Promise<void> {
  const organizationId = toObjectId(owner.organizationId);
  await harness.db.collection('sso_domains').deleteMany({ organizationId });
}

/** Created directly in the database, since the plan may refuse the operation. */
export async function setSso({ harness, owner }: Tenant, ssoConfig: object | null): Promise<void> {
  const _id = toObjectId(owner.organizationId);
  await harness.db.collection('organizations').updateOne({ _id }, { $set: { ssoConfig } });
}

/** A notification of the organisation for the user of the token. */
export async function createNotification(
  { harness, owner, mark }: Tenant,
  token: string,
): Promise<string> {
  const claims: unknown = JSON.parse(
    Buffer.from(token.split('.')[1] ?? '', 'base64url').toString() || '{}',
  );
  const { sub } = claims as { sub?: string };
  const at = { createdAt: new Date(), updatedAt: new Date() };
  const { insertedId } = await harness.db.collection('notifications').insertOne({
    organizationId: toObjectId(owner.organizationId),
    userId: toObjectId(sub ?? owner.userId),
    type: 'info',
    title: `${mark} title`,
    body: null,
    isRead: false,
    link: null,
    sentBy: null,
    ...at,
  });
  return insertedId.toHexString();
}

/** A webhook, created directly in the database: the plan may refuse the operation, and at most a hundred may exist. */
export async function createWebhook({ harness, owner, mark }: Tenant): Promise<string> {
  const _id = createObjectId();
  const at = { createdAt: new Date(), updatedAt: new Date() };
  const secret = `whsec_${Buffer.alloc(32).toString('base64')}`;
  const organizationId = toObjectId(owner.organizationId);
  const webhooks = harness.db.collection('webhooks');
  const kept = await webhooks.find({ organizationId }).sort({ _id: -1 }).skip(30).toArray();
  await webhooks.deleteMany({ _id: { $in: kept.map((one) => one._id) } });
  await webhooks.insertOne({
    ...createWebhookBody(mark),
    _id,
    organizationId,
    workspaceId: null,
    switchedOffAt: null,
    switchedOffReason: null,
    sealedSecret: harness.app.instance.platform.vault.encrypt(
      secret,
      buildWebhookSecretAad(_id.toHexString()),
    ),
    fingerprint: generateHex(8),
    ...at,
  });
  return _id.toHexString();
}

/** A webhook, and a delivery to it that was given up. */
export async function createDelivery(tenant: Tenant): Promise<{ id: string; deliveryId: string }> {
  const { harness, owner, mark } = tenant;
  const id = await createWebhook(tenant);
  const timestamp = new Date().toISOString();
  const event = { event: 'trace.created', timestamp, data: { agentName: `${mark} agent` } };
  const { insertedId } = await harness.db.collection('outbox').insertOne({
    organizationId: toObjectId(owner.organizationId),
    topic: 'webhook',
    lane: id,
    payload: { webhookId: id, event },
    status: 'dead',
    attempts: 10,
    lastError: 'answered 500',
    dueAt: new Date(),
    createdAt: new Date(),
    expiresAt: new Date(Date.now() + 600_000),
  });
  return { id, deliveryId: insertedId.toHexString() };
}

/** An alert rule that sends mail, created directly in the database, like a webhook. */
export async function createAlert({ harness, owner, mark }: Tenant): Promise<string> {
  const organizationId = toObjectId(owner.organizationId);
  const rules = harness.db.collection('alert_rules');
  const kept = await rules.find({ organizationId }).sort({ _id: -1 }).skip(30).toArray();
  await rules.deleteMany({ _id: { $in: kept.map((one) => one._id) } });
  const { insertedId } = await rules.insertOne({
    ...createAlertBody(`${mark} ${generateHex(8)}`),
    actions: [{ type: 'email', target: owner.email }],
    organizationId,
    workspaceId: null,
    createdAt: new Date(),
    updatedAt: new Date(),
  });
  return insertedId.toHexString();
}
