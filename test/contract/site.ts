// An organisation with records of every kind, and the ways its people and machines present themselves.
import { createHash } from 'node:crypto';
import { createConnection, type Connection } from 'mongoose';
import { expect } from 'vitest';
import { randomHex } from '../../src/platform/ids.ts';
import { hashKey } from '../../src/domain/identity/key-hash.ts';
import type { Sample } from './examples.ts';
import {
  createAgent,
  decision,
  ok,
  createOwner,
  PASSWORD,
  createWorkspaceKey,
  type Owner,
} from '../setup/personas.ts';
import { startNameServer, type NameServer } from '../setup/providers/name-server.ts';
import { databaseUri, startApp, type Answer, type Call, type TestApp } from '../setup/start-app.ts';

/** Known here, so that a test can sign what the service would not. */
export const SECRETS = {
  jwt: 'a session secret of the contract tests',
  formerJwt: [],
  ledgerKey: 'a ledger key of the contract tests',
  encryptionKey: 'an encryption key for tests, long enough',
  formerEncryption: [],
};

export type Credentials = Pick<Call, 'token' | 'key'>;

/** One running app and a direct connection to its database. */
export interface Ground {
  app: TestApp;
  database: Connection;
  names: NameServer;
  close(): Promise<void>;
}

export async function openGround(): Promise<Ground> {
  const mongoUri = databaseUri();
  const names = await startNameServer();
  const outbound = { ASSAY_OUTBOUND_ALLOW: 'login.example.com', ASSAY_DNS_SERVERS: names.address };
  const social = {
    ASSAY_OAUTH_B_CLIENT_ID: 'assay',
    ASSAY_OAUTH_B_CLIENT_SECRET: 'a secret of the contract tests',
  };
  const app = await startApp(
    {
      ASSAY_LIMIT_ACCOUNT: '1000',
      ASSAY_RETURN_URLS: 'https://app.example.com/',
      ...outbound,
      ...social,
    },
    { mongoUri, secrets: SECRETS },
  );
  const database = await createConnection(mongoUri, { maxPoolSize: 4 }).asPromise();
  return {
    app,
    database,
    names,
    async close() {
      await database.close();
      await app.stop();
      await names.stop();
    },
  };
}

/** Ids of existing records; the records that an example destroys are made afresh by it. */
export interface Site {
  ground: Ground;
  /** Stands in every text of every record of this organisation. */
  mark: string;
  owner: Owner;
  workspaceId: string;
  agentId: string;
  agentKey: string;
  key: string;
  /** Of its directory. */
  scimToken: string;
  policyId: string;
  policySetDigest: string;
  /** Object id and `traceId` of a stored decision. */
  traceId: string;
  traceName: string;
  /** The sign-in of the owner in the audit log. */
  auditLogId: string;
}

/** Calls as the owner and fails loudly. */
export async function as(site: Site, operation: string, body?: unknown): Promise<Answer['body']> {
  const [method = '', path = ''] = operation.split(' ');
  return ok(
    await site.ground.app.call(method, path, {
      token: site.owner.token,
      ...(body !== undefined && { body }),
    }),
  ).body.data;
}

/** The id of a user whom the directory has just provisioned; of the owner where the plan has no directory. */
export async function provision(
  { ground, scimToken, owner: boss }: Site,
  body: object,
): Promise<string> {
  const answer = await ground.app.call('POST', '/scim/v2/Users', { token: scimToken, body });
  return answer.body.code === 'UPGRADE_REQUIRED' ? boss.userId : (ok(answer).body.id as string);
}

/** What opens an operation to its site: the owner's session, the directory's token, or a workspace key. */
export function credentialsFor({ owner: boss, scimToken }: Site, operation: string): Credentials {
  return { token: operation.includes(' /scim/') ? scimToken : boss.token };
}

export const policyBody = (mark: string): Record<string, unknown> => ({
  name: `${mark} policy`,
  description: `${mark} description`,
  enabled: true,
  priority: 5,
  conditions: [
    {
      field: 'outputDecision.action',
      operator: 'equals',
      value: `${mark} wipe`,
      logicalOperator: 'AND',
    },
  ],
  actions: [{ type: 'flag_for_review', config: { reason: `${mark} reason` } }],
});

/** What may be stated of a model. */
export const modelMetadata = (mark: string): Record<string, unknown> => ({
  provider: `${mark} provider`,
  model: `${mark} model`,
  version: '2.1',
  license: `${mark} licence`,
  riskClass: 'limited',
  purpose: `${mark} purpose`,
  trainingDataSummary: `${mark} summary`,
  datasets: [
    {
      name: `${mark} data`,
      uri: 's3://bucket/data',
      license: 'CC-BY-4.0',
      sha256: '5'.repeat(64),
      description: `${mark} description`,
    },
  ],
});

/** The decision of an example; every member that a caller may send. */
export const decisionBody = (agentId: string, mark: string): Record<string, unknown> =>
  decision(agentId, {
    agentVersion: '1.2.3',
    triggeringCondition: `${mark} condition`,
    rationale: `${mark} rationale: the order was shipped yesterday according to the tracking system.`,
    alternatives: [{ decision: `${mark} other`, confidence: 0.2 }],
    metadata: { note: `${mark} note` },
    timestamp: '2025-05-05T05:05:05.005Z',
  });

/** The object id of a decision made for the purpose. */
export async function newDecision(site: Site): Promise<string> {
  const { ground, key, agentId, mark } = site;
  ok(await ground.app.call('POST', '/api/v1/traces', { key, body: decisionBody(agentId, mark) }));
  const [newest] = await as(site, 'GET /api/v1/traces?limit=1');
  return newest._id as string;
}

/** What a mail would have brought, made as the service keeps it. */
export async function linkToken(
  site: Site,
  purpose: string,
  { userId, email }: Pick<Owner, 'userId' | 'email'>,
) {
  const { ObjectId } = site.ground.database.base.Types;
  const token = randomHex(20);
  const now = Date.now();
  await site.ground.database.collection('one_time_tokens').insertOne({
    purpose,
    email,
    facts: {},
    attempts: 0,
    spentAt: null,
    tokenHash: createHash('sha256').update(token).digest('hex'),
    userId: userId === '' ? null : ObjectId.createFromHexString(userId),
    createdAt: new Date(now),
    expiresAt: new Date(now + 600_000),
  });
  return token;
}

/** Somebody whom the site took in, for examples that change or remove a member; made without a password. */
export async function newMember({ ground, mark, owner: boss }: Site): Promise<string> {
  const { database } = ground;
  const [userId, organizationId] = [
    new database.base.Types.ObjectId(),
    idOf(ground, boss.organizationId),
  ];
  const at = { createdAt: new Date(), updatedAt: new Date() };
  const email = `${randomHex(8)}@example.com`;
  await database.collection('users').insertOne({
    _id: userId,
    email,
    name: `${mark} member`,
    mfa: { enabled: false },
    lastLoginIp: null,
    ...at,
  });
  await database.collection('memberships').insertOne({
    organizationId,
    userId,
    role: 'member',
    isActive: true,
    deactivatedBy: null,
    ...at,
  });
  return userId.toHexString();
}

/** A pending invitation and the token in its mail. */
export async function newInvitation(site: Site): Promise<{ id: string; token: string }> {
  const { _id: id } = await as(site, 'POST /api/v1/team/invite', {
    email: `${randomHex(8)}@example.com`,
  });
  const organizationId = idOf(site.ground, site.owner.organizationId);
  const mail = await site.ground.app.instance.services.team.invitations.mails.invitation({
    organizationId,
    payload: { invitationId: id as string },
  });
  return { id: id as string, token: mail?.action.token ?? '' };
}

const idOf = ({ database }: Ground, hex: string) =>
  database.base.Types.ObjectId.createFromHexString(hex);

/** A new organisation; `plan` replaces the plan before anybody has asked for it. */
export async function makeSite(ground: Ground, mark: string, plan?: string): Promise<Site> {
  const { app, database } = ground;
  const boss = await createOwner(app, mark);
  const organizationId = database.base.Types.ObjectId.createFromHexString(boss.organizationId);
  if (plan !== undefined)
    await database
      .collection('organizations')
      .updateOne({ _id: organizationId }, { $set: { 'subscription.plan': plan } });
  // Past the operation, which the plan may refuse.
  const scimToken = `scim_${randomHex(24)}`;
  await database
    .collection('scim_tokens')
    .insertOne({ organizationId, tokenHash: hashKey(scimToken) });
  const machine = await createAgent(app, boss, `${mark} agent ${randomHex(4)}`);
  const { key } = await createWorkspaceKey(app, boss, { name: `${mark} key` });
  const bare = {
    ground,
    mark,
    owner: boss,
    agentId: machine.id,
    agentKey: machine.key,
    key,
    scimToken,
  } as Site;
  await as(bare, `PATCH /api/v1/agents/${machine.id}`, { modelMetadata: modelMetadata(mark) });
  const workspace = await as(bare, 'POST /api/v1/workspaces', { name: `${mark} workspace` });
  const policy = await as(bare, 'POST /api/v1/policies', policyBody(mark));
  ok(await app.call('POST', '/api/v1/traces', { key, body: decisionBody(machine.id, mark) }));
  const [trace] = await as(bare, 'GET /api/v1/traces');
  const set = await database
    .collection('policy_sets')
    .findOne({ organizationId, 'members.0': { $exists: true } });
  const signIn = await database
    .collection('audit_entries')
    .findOne({ organizationId, action: 'auth.register' });
  expect(set?.digest, 'the set of the decision is on record').toMatch(/^[0-9a-f]{64}$/);
  return {
    ...bare,
    workspaceId: workspace._id as string,
    policyId: policy._id as string,
    policySetDigest: set?.digest as string,
    traceId: trace._id as string,
    traceName: trace.traceId as string,
    auditLogId: signIn?.auditId as string,
  };
}

/** Somebody with a role at the site: a user of an organisation of their own who was taken in here. */
export async function member({ ground, owner: boss }: Site, role: string): Promise<Owner> {
  const { app, database } = ground;
  const person = await createOwner(app, role);
  const { ObjectId } = database.base.Types;
  const [organizationId, userId] = [boss.organizationId, person.userId].map((id) =>
    ObjectId.createFromHexString(id),
  );
  const row = { organizationId, userId, role, isActive: true, deactivatedBy: null };
  await database
    .collection('memberships')
    .insertOne({ ...row, createdAt: new Date(), updatedAt: new Date() });
  const body = { organizationId: boss.organizationId };
  const { data } = ok(
    await app.call('POST', '/api/v1/auth/switch-org', { token: person.token, body }),
  ).body;
  return { ...person, token: data.token as string };
}

/** A new session of a person, in the organisation they were in last. */
export async function signInAgain({ app }: Ground, email: string): Promise<string> {
  return ok(await app.call('POST', '/api/v1/auth/login', { body: { email, password: PASSWORD } }))
    .body.data.token as string;
}

/** What a browser sends of a form. */
export const asForm = (form: Record<string, string>): Pick<Call, 'raw' | 'headers'> => ({
  raw: new URLSearchParams(form).toString(),
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
});

/** Sends an example as it is, or with its inputs replaced. A token that the site's owner mints replaces the site's. */
export async function send(
  site: Site,
  operation: string,
  { sample, ...call }: Call & { sample: Sample },
): Promise<Answer> {
  const [method = '', path = ''] = operation.split(' ');
  const { params = {}, query, body, form } = sample;
  const address = path.replace(/:(\w+)/g, (_, name: string) => params[name] ?? name);
  const search = query ? `?${new URLSearchParams(query).toString()}` : '';
  const answer = await site.ground.app.call(method, address + search, {
    ...(body && { body }),
    ...(form && asForm(form)),
    ...call,
  });
  if (path.endsWith('/scim-token') && answer.status === 201 && call.token === site.owner.token)
    site.scimToken = answer.body.data.token as string;
  return answer;
}
