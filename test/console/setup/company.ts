// An organisation in which every page has something to show: what a shop has, and what grows around it.
import { createHash } from 'node:crypto';
import { canonicalize, type Json } from '@assay/json';
import { createMember, type Harness } from '../../setup/harness.ts';
import { useFixture } from '../../setup/fixtures.ts';
import { assertOk } from '../../setup/personas.ts';
import type { Receiver } from '../../setup/providers/receiver.ts';
import type { TestApp } from '../../setup/start-app.ts';
import { type Budgets, createBudgets } from './budgets.ts';
import { createCase } from './case.ts';
import { createRefund, createShop, postDecision, type Shop } from './shop.ts';

export interface Company extends Shop, Budgets {
  agentId: string;
  webhookId: string;
  incidentId: string;
  assessmentId: string;
  /** Of an agent that is halted, with an action under way, and a request to resume it. */
  haltId: string;
  /** Held, in a session of several steps. */
  caseId: string;
  /** Within the arguments that were approved, and used once. */
  grantId: string;
  /** Of hundreds of new values of a list. */
  listApprovalId: string;
  /** Code of a device that waits. */
  userCode: string;
}

/** Asks for the sign-in of a device; returns the codes that it gets. */
export async function startDevice(app: TestApp): Promise<{ deviceCode: string; userCode: string }> {
  const { body } = assertOk(
    await app.call('POST', '/api/v1/auth/device/code', {
      raw: new URLSearchParams({ client_id: 'assay on ada-laptop' }).toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    }),
  );
  return { deviceCode: body.device_code, userCode: body.user_code };
}

/** Posts to the API as the owner; returns what was made. */
async function make(app: TestApp, { token }: Shop, path: string, body: object) {
  return assertOk(await app.call('POST', path, { token, body })).body.data;
}

const DAY = 86_400_000;

/** One that was detected two days ago, with a report that is done. */
async function createIncident(app: TestApp, shop: Shop) {
  const incident = await make(app, shop, '/api/v1/incidents', {
    title: 'Refunds went to a wrong account',
    summary: 'Twelve refunds were sent to an account that is not of the customer.',
    severity: 'high',
    category: 'data_breach',
    detectedAt: new Date(Date.now() - 2 * DAY).toISOString(),
    regulators: ['gdpr', 'aiact', 'nis2'].map((code) => ({ code })),
    triggerTraceIds: shop.byStatus.flagged.slice(0, 1),
  });
  await make(app, shop, `/api/v1/incidents/${incident._id}/checkpoints/cp-0/complete`, {
    notes: 'Reported by the form of the authority.',
  });
  return incident;
}

/** People have decided the last holds: one was right to be held. */
async function judgeLast(app: TestApp, shop: Shop): Promise<void> {
  for (const [at, traceId] of shop.byStatus.flagged.slice(-4).entries()) {
    const answer = await app.call('GET', `/api/v1/traces/${traceId}`, { token: shop.token });
    const { review } = assertOk(answer).body.data;
    const verdict = at === 0 ? { decision: 'reject', reason: 'Twice' } : { decision: 'approve' };
    await make(app, shop, `/api/v1/review-queue/${review._id}/decision`, verdict);
  }
}

/** An action of the agent is under way when it is halted; the owner asks that it goes on. */
async function haltAgent(app: TestApp, shop: Shop, agentId: string): Promise<string> {
  const refund = createRefund() as { outputDecision: { action: Json } };
  const held = await postDecision(app, shop.key, { ...refund, agentId });
  const answer = await app.call('GET', `/api/v1/traces/${held.traceId}`, { token: shop.token });
  const { review } = assertOk(answer).body.data;
  await make(app, shop, `/api/v1/review-queue/${review._id}/decision`, { decision: 'approve' });
  const action = canonicalize(refund.outputDecision.action);
  const rawActionDigest = createHash('sha256').update(action).digest('hex');
  const path = `/api/v1/traces/${held.traceId}/executions`;
  assertOk(await app.call('POST', path, { key: shop.key, body: { rawActionDigest } }));
  const reason = 'It books the same parcel twice, and the second one is sent to another address';
  const body = { scope: 'agent', target: agentId, reason };
  const { id } = await make(app, shop, '/api/v1/halts', body);
  await make(app, shop, `/api/v1/halts/${id}/resume`, { to: 'watched' });
  return id;
}

/** A label may be printed again without a person, ten times; one is. */
async function giveGrant(app: TestApp, shop: Shop, agentId: string): Promise<string> {
  const { token } = shop;
  const entries = [{ does: ['write'], gives: [] }];
  assertOk(await app.call('PUT', '/api/v1/tools/print_label', { token, body: { entries } }));
  await make(app, shop, '/api/v1/policies', {
    name: 'Labels are printed once',
    conditions: [{ field: 'action.names', operator: 'contains', value: 'print_label' }],
    actions: [{ type: 'flag_for_review', config: { reason: 'It was printed already' } }],
  });
  const outputDecision = { action: { tool: 'print_label', arguments: { copies: 2 } } };
  const decision = { ...createRefund(), agentId, outputDecision };
  const { reviewId } = await postDecision(app, shop.key, decision);
  const when = [{ field: 'arguments.copies', operator: 'at_most', value: 2 }];
  const grant = { expiresIn: 28_800, uses: 10, when, reason: 'The printer was mended' };
  const path = `/api/v1/review-queue/${reviewId}/decision`;
  const { grantId } = await make(app, shop, path, { decision: 'approve', grant });
  await postDecision(app, shop.key, decision);
  return grantId as string;
}

/** Hundreds of partners more, some with names that mislead, and two less. */
async function proposeList(app: TestApp, shop: Shop): Promise<string> {
  const many = Array.from({ length: 300 }, (_, at) => `partner-${at}.example`);
  const odd = ['bank.example ', '\u202emoc.knab', `${'long-'.repeat(30)}name.example`];
  const values = ['example.com', 'example.org', ...odd, ...many];
  const path = '/api/v1/policy-lists/partners/approvals';
  return (await make(app, shop, path, { values })).id as string;
}

async function createCompany(
  harness: Harness,
  receiver: Receiver,
  decisions: number | undefined,
): Promise<Company> {
  const { app } = harness;
  const shop = await createShop(app, decisions);
  const { token } = shop;
  await createMember(harness, shop, 'reviewer');
  const agents = assertOk(await app.call('GET', '/api/v1/agents', { token })).body.data;
  const agent = agents.find(({ name }: { name: string }) => name === 'shop-support');
  const warehouse = agents.find(({ name }: { name: string }) => name === 'warehouse');
  const grantId = await giveGrant(app, shop, agent._id);
  await make(app, shop, '/api/v1/alerts', {
    name: 'Something is blocked',
    severity: 'critical',
    condition: { field: 'status', operator: 'eq', value: 'blocked' },
    actions: [{ type: 'email', target: shop.email }],
  });
  const webhook = await make(app, shop, '/api/v1/webhooks', {
    url: `${receiver.url}/assay`,
    events: ['*'],
    description: 'Tickets',
  });
  const incident = await createIncident(app, shop);
  const assessment = await make(app, shop, '/api/v1/fria', {
    systemName: 'Refunds',
    purpose: 'Decides whether a customer gets a refund.',
    affectedPersons: 'Customers of the shop, about 400 a day.',
    identifiedRisks: [{ title: 'A refund is refused without a reason', severity: 'high' }],
  });
  await make(app, shop, '/api/v1/team/invite', { email: 'jo.doe@example.com', role: 'member' });
  await make(app, shop, '/api/v1/notifications/broadcast', {
    title: 'Refunds are reviewed by two people this week',
    body: 'The limit is 90 until Friday.',
  });
  await judgeLast(app, shop);
  // The first search begins the index, where there is one.
  await make(app, shop, '/api/v1/traces/memory', { query: 'a refund' });
  const question = { metric: 'count', groupBy: 'status', epsilon: 0.5, purpose: 'monthly-report' };
  await make(app, shop, '/api/v1/privacy-budget/query', question);
  await postDecision(app, shop.key, createRefund());
  await postDecision(app, shop.key, { ...createRefund(), agentId: 'night-porter' });
  const caseId = await createCase(app, shop);
  const haltId = await haltAgent(app, shop, warehouse._id);
  await make(app, shop, `/api/v1/agents/${warehouse._id}/pause`, {
    reason: 'It books the same parcel twice',
  });
  const budgets = await createBudgets(app, token, shop.key);
  await app.instance.runJobsOnce();
  const { userCode } = await startDevice(app);
  return {
    ...shop,
    agentId: agent._id,
    webhookId: webhook._id,
    incidentId: incident._id,
    assessmentId: assessment._id,
    haltId,
    caseId,
    grantId,
    listApprovalId: await proposeList(app, shop),
    userCode,
    ...budgets,
  };
}

export const useCompany = (harness: Harness, receiver: Receiver, decisions?: number): Company =>
  useFixture(() => createCompany(harness, receiver, decisions));
