// An organisation with records of every kind, its people, and the app that serves it.
import { expect } from 'vitest';
import { hashKey } from '../../src/domain/identity/key-hash.ts';
import { generateHex } from '../../src/platform/ids.ts';
import { toObjectId, verifyMailbox, startHarness, type Harness } from '../setup/harness.ts';
import {
  createAgent,
  createOwner,
  createWorkspaceKey,
  assertOk,
  PASSWORD,
  type Owner,
} from '../setup/personas.ts';
import { startNameServer, type NameServer } from '../setup/providers/name-server.ts';
import { startPaymentProcessor } from '../setup/providers/payment-processor.ts';
import type { Answer } from '../setup/start-app.ts';
import { createDecisionBody, createModelMetadata, createPolicyBody } from './bodies.ts';

export interface ContractHarness extends Harness {
  names: NameServer;
}

/** `environment` is for what a file limits. */
export async function startContractHarness(
  environment: Record<string, string> = {},
): Promise<ContractHarness> {
  const names = await startNameServer();
  const processor = await startPaymentProcessor();
  const { ASSAY_OUTBOUND_ALLOW: processorHost = '', ...paid } = processor.settings;
  const harness = await startHarness({
    ...paid,
    DEFAULT_PLAN: 'enterprise',
    // Passkeys are for a domain name.
    ASSAY_PUBLIC_URL: 'http://localhost',
    ASSAY_LIMIT_ACCOUNT: '1000',
    ASSAY_RETURN_URLS: 'https://app.example.com/',
    ASSAY_OUTBOUND_ALLOW: `login.example.com,127.0.0.1:1,${processorHost}`,
    ASSAY_DNS_SERVERS: names.address,
    ASSAY_OAUTH_B_CLIENT_ID: 'assay',
    ASSAY_OAUTH_B_CLIENT_SECRET: 'a secret of the contract tests',
    ...environment,
  });
  return {
    ...harness,
    names,
    async stop() {
      await harness.stop();
      await names.stop();
      await processor.stop();
    },
  };
}

/** Ids of existing records; the records that an example destroys are made afresh by it. */
export interface Tenant {
  harness: ContractHarness;
  /** Stands in every text of every record of this organisation. */
  mark: string;
  owner: Owner;
  workspaceId: string;
  agentId: string;
  agentKey: string;
  key: string;
  /** Token of its directory. */
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
export async function callAsOwner(
  { harness, owner }: Pick<Tenant, 'harness' | 'owner'>,
  operation: string,
  body?: unknown,
): Promise<Answer['body']> {
  const [method = '', path = ''] = operation.split(' ');
  const call = { token: owner.token, ...(body !== undefined && { body }) };
  return assertOk(await harness.app.call(method, path, call)).body.data;
}

/** A new organisation; `plan` replaces the plan before anybody has asked for it. */
export async function createTenant(
  harness: ContractHarness,
  mark: string,
  plan?: string,
): Promise<Tenant> {
  const { app, db } = harness;
  const owner = await verifyMailbox(harness, await createOwner(app, mark));
  const organizationId = toObjectId(owner.organizationId);
  if (plan !== undefined)
    await db
      .collection('organizations')
      .updateOne({ _id: organizationId }, { $set: { 'subscription.plan': plan } });
  // Directly in the database, since the plan may refuse the operation.
  const scimToken = `scim_${generateHex(24)}`;
  await db.collection('scim_tokens').insertOne({ organizationId, tokenHash: hashKey(scimToken) });
  const agent = await createAgent(app, owner, `${mark} agent ${generateHex(4)}`);
  const { key } = await createWorkspaceKey(app, owner, { name: `${mark} key` });
  const people = { harness, mark, owner, agentId: agent.id, agentKey: agent.key, key, scimToken };
  return { ...people, ...(await createRecords(people)) };
}

type People = Pick<
  Tenant,
  'harness' | 'mark' | 'owner' | 'agentId' | 'agentKey' | 'key' | 'scimToken'
>;

/** A workspace, a policy, and a decision with what follows from it. */
async function createRecords(people: People): Promise<Omit<Tenant, keyof People>> {
  const { harness, mark, agentId, key } = people;
  const body = { modelMetadata: createModelMetadata(mark) };
  await callAsOwner(people, `PATCH /api/v1/agents/${agentId}`, body);
  const workspace = await callAsOwner(people, 'POST /api/v1/workspaces', {
    name: `${mark} workspace`,
  });
  const policy = await callAsOwner(people, 'POST /api/v1/policies', createPolicyBody(mark));
  assertOk(
    await harness.app.call('POST', '/api/v1/traces', {
      key,
      body: createDecisionBody(agentId, mark),
    }),
  );
  const [trace] = await callAsOwner(people, 'GET /api/v1/traces');
  const organizationId = toObjectId(people.owner.organizationId);
  const set = await harness.db
    .collection('policy_sets')
    .findOne({ organizationId, 'members.0': { $exists: true } });
  expect(set?.digest, 'the set of the decision is on record').toMatch(/^[0-9a-f]{64}$/);
  const signIn = await harness.db
    .collection('audit_entries')
    .findOne({ organizationId, action: 'auth.register' });
  return {
    workspaceId: workspace._id as string,
    policyId: policy._id as string,
    policySetDigest: set?.digest as string,
    traceId: trace._id as string,
    traceName: trace.traceId as string,
    auditLogId: signIn?.auditId as string,
  };
}

/** Operations on people, their sessions and their organisation: what one has changed, the next one could not bear. */
const UNSHARED = /auth|organization|team|scim|workspaces/;

/** Returns a function that gives the same organisation to operations one after another, and a new one where that is needed. */
export function createSharing(
  harness: ContractHarness,
  mark: string,
): (operation: string) => Promise<Tenant> {
  let shared: Promise<Tenant> | null = null;
  return (operation) =>
    UNSHARED.test(operation)
      ? createTenant(harness, mark)
      : (shared ??= createTenant(harness, mark));
}

/** A new session of a person, in the organisation they were in last. */
export async function signInAgain({ app }: Harness, email: string): Promise<string> {
  const body = { email, password: PASSWORD };
  return assertOk(await app.call('POST', '/api/v1/auth/login', { body })).body.data.token as string;
}
