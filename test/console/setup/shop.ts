// An organisation as a team would have it: agents, policies, and the decisions of the sample that ships with Assay.
import { readFileSync } from 'node:fs';
import { createOwner, createWorkspaceKey, assertOk, type Owner } from '../../setup/personas.ts';
import { generateHex } from '../../../src/platform/ids.ts';
import type { MovedClock } from '../../setup/second-factor.ts';
import type { TestApp } from '../../setup/start-app.ts';
import { useFixture } from '../../setup/fixtures.ts';
import type { Harness } from '../../setup/harness.ts';

export interface Shop extends Owner {
  key: string;
  /** `traceId`s of decisions by what became of them. */
  byStatus: Readonly<Record<'approved' | 'flagged' | 'blocked', readonly string[]>>;
  /** A policy with a change that waits for approval, and a replay that has ended. */
  policyId: string;
  /** A policy that observes, and refers to the list `partners`. */
  observingId: string;
  approvalId: string;
  replayId: string;
}

const TEMPLATES = ['secrets-in-output', 'prompt-injection', 'money-out', 'irreversible-actions'];

const readSample = (): object[] =>
  readFileSync('samples/decisions.ndjson', 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as object);

/** A refund, which the policies hold; each is of an order of its own. */
export const createRefund = (): object => ({
  agentId: 'shop-support',
  inputContext: { prompt: 'The blender I got is broken. I want my 89.90 back.' },
  outputDecision: {
    action: {
      tool: 'refund_payment',
      arguments: { order_id: `SO-${generateHex(3)}`, amount: 89.9 },
    },
    rationale: 'The order is within its warranty, so the price is paid back.',
  },
});

/** Posts a refund whose caller asks once, and asks no more. */
export async function holdLeft(app: TestApp, key: string, clock: MovedClock): Promise<string> {
  const { traceId } = await postDecision(app, key, createRefund());
  assertOk(await app.call('GET', `/api/v1/traces/${traceId}?wait=0`, { key }));
  clock.aheadMs += 6 * 60_000;
  return traceId;
}

const LONG = 'The customer writes that the parcel never came, and wants the money back. '.repeat(
  12,
);

/** Refunds with long arguments, of agents that are not registered, posted a hundred at a time; returns their `traceId`s in order. */
export async function holdMany(app: TestApp, key: string, count: number): Promise<string[]> {
  const decisions = Array.from({ length: count }, (_, index) => ({
    agentId: `till-${index % 7}`,
    inputContext: { prompt: `${LONG} ${index}` },
    outputDecision: {
      action: {
        tool: 'refund_payment',
        arguments: { order_id: `SO-${generateHex(3)}`, place: index, amount: 89.9, letter: LONG },
      },
      rationale: LONG,
    },
  }));
  const held: string[] = [];
  for (let from = 0; from < count; from += 100) {
    const body = { decisions: decisions.slice(from, from + 100) };
    const answer = assertOk(await app.call('POST', '/api/v1/traces/batch', { key, body }));
    for (const { data } of answer.body.data.results as { data: Posted }[]) held.push(data.traceId);
  }
  return held;
}

interface Posted {
  traceId: string;
  status: 'approved' | 'flagged' | 'blocked';
  /** Of a held decision. */
  reviewId?: string;
}

/** Posts a decision; returns its id and status. */
export async function postDecision(app: TestApp, key: string, body: object): Promise<Posted> {
  const answer = await app.call('POST', '/api/v1/traces', { key, body });
  if (![201, 202, 403].includes(answer.status)) throw new Error(`${answer.status}: ${answer.text}`);
  return answer.body.data as Posted;
}

/** A policy that observes replies and mails, by a named list and values of its own. */
async function createObserving(app: TestApp, token: string): Promise<string> {
  const values = ['example.com', 'example.org', 'parcels.example', 'bank.example'];
  const list = '/api/v1/policy-lists/partners';
  const body = { values, description: 'Companies that we work with' };
  assertOk(await app.call('PUT', list, { token, body }));
  const policy = {
    name: 'Mail to strangers',
    description: 'A person looks at what leaves to others than partners.',
    observe: true,
    conditions: [
      { field: 'action.names', operator: 'in', value: ['get_order', 'search'], not: true },
      { field: 'action.recipientDomains', operator: 'in', value: { list: 'partners' } },
      { field: 'confidenceScore', operator: 'at_most', value: 0.99 },
    ],
    actions: [{ type: 'flag_for_review', config: { reason: 'It leaves to a stranger' } }],
  };
  const made = await app.call('POST', '/api/v1/policies', { token, body: policy });
  return assertOk(made).body.data.id as string;
}

/** A stricter rule is proposed, and tried on the past. */
async function preparePolicies(
  app: TestApp,
  token: string,
): Promise<Pick<Shop, 'policyId' | 'approvalId' | 'replayId'>> {
  const call = async (method: 'GET' | 'POST', path: string, body?: object) =>
    assertOk(await app.call(method, `/api/v1/policies${path}`, { token, ...(body && { body }) }));
  const policies = (await call('GET', '?limit=50')).body.data as { id: string; name: string }[];
  const policyId = policies.find(({ name }) => name.startsWith('Money out'))?.id ?? '';
  const policy = { actions: [{ type: 'block', config: { reason: 'Money stays' } }] };
  const approval = await call('POST', '/approvals', { policyId, policy });
  const stored = (await call('GET', `/${policyId}`)).body.data as object;
  const candidate = { ...stored, ...policy };
  const replay = await call('POST', `/${policyId}/replay`, { policy: candidate });
  await app.instance.runJobsOnce();
  return { policyId, approvalId: approval.body.data.id, replayId: replay.body.data.id };
}

export async function createShop(app: TestApp, decisions = 60): Promise<Shop> {
  const owner = await createOwner(app, 'Ada');
  const { token } = owner;
  for (const name of ['shop-support', 'warehouse'])
    assertOk(await app.call('POST', '/api/v1/agents', { token, body: { name } }));
  for (const templateId of TEMPLATES)
    assertOk(
      await app.call('POST', '/api/v1/policies/from-template', { token, body: { templateId } }),
    );
  const observingId = await createObserving(app, token);
  const { key } = await createWorkspaceKey(app, owner);
  const byStatus = { approved: [] as string[], flagged: [] as string[], blocked: [] as string[] };
  for (const body of [...readSample().slice(0, decisions), createRefund()]) {
    const { traceId, status } = await postDecision(app, key, body);
    byStatus[status].push(traceId);
  }
  return { ...owner, key, byStatus, observingId, ...(await preparePolicies(app, token)) };
}

export const useShop = ({ app }: Harness, decisions?: number): Shop =>
  useFixture(() => createShop(app, decisions));
