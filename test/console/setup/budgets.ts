// Policies with limits, and decisions that spend them, some of which have ended.
import { createHash } from 'node:crypto';
import { canonicalize, type Json } from '@assay/json';
import { assertOk } from '../../setup/personas.ts';
import type { TestApp } from '../../setup/start-app.ts';

interface Given {
  name: string;
  /** The tool whose acts it limits. */
  tool: string;
  type?: 'block' | 'flag_for_review';
  limit: { of: string; per: string; window: string; most: number };
}

/** A policy with a limit; its actions are claimed before they begin. */
export async function createLimit(
  app: TestApp,
  token: string,
  { name, tool, type = 'block', limit }: Given,
): Promise<string> {
  const body = {
    name,
    description: `What ${tool} may spend`,
    conditions: [{ field: 'action.names', operator: 'contains', value: tool }],
    actions: [{ type, config: { limit, singleUse: true } }],
  };
  return assertOk(await app.call('POST', '/api/v1/policies', { token, body })).body.data.id;
}

let made = 0;

/** The body of a decision that spends an amount, of an order of its own. */
export function buildSpending(tool: string, amount: number, more: object = {}) {
  made += 1;
  return {
    agentId: 'buyer',
    inputContext: { prompt: 'Buy what is missing.' },
    outputDecision: { action: { tool, arguments: { order: `SO-${made}`, amount } as Json } },
    confidenceScore: 0.99,
    ...more,
  };
}

interface Posted {
  traceId: string;
  status: string;
  reviewId?: string;
}

/** Posts a hundred at a time; returns what became of each. */
export async function postMany(
  app: TestApp,
  key: string,
  decisions: readonly object[],
): Promise<Posted[]> {
  const posted: Posted[] = [];
  for (let from = 0; from < decisions.length; from += 100) {
    const body = { decisions: decisions.slice(from, from + 100) };
    const answer = assertOk(await app.call('POST', '/api/v1/traces/batch', { key, body }));
    for (const { data } of answer.body.data.results as { data: Posted }[]) posted.push(data);
  }
  return posted;
}

/** Spends, and says how it ended and what it used. */
export async function settleSpending(
  app: TestApp,
  key: string,
  body: ReturnType<typeof buildSpending>,
  used: { amount?: number; tokens?: number },
): Promise<string> {
  const posted = assertOk(await app.call('POST', '/api/v1/traces', { key, body }));
  const { traceId } = posted.body.data;
  const action = canonicalize(body.outputDecision.action);
  const rawActionDigest = createHash('sha256').update(action).digest('hex');
  const path = `/api/v1/traces/${traceId}/executions`;
  const claimed = assertOk(await app.call('POST', path, { key, body: { rawActionDigest } }));
  const end = `${path}/${claimed.body.data.executionId}`;
  assertOk(await app.call('PATCH', end, { key, body: { outcome: 'succeeded', used } }));
  return traceId;
}

/** What could be mistaken for markup, turns the direction of a line, and is too long for it. */
export const HOSTILE = `\u202E<img src=x onerror=alert(1)>${'no-break-'.repeat(14)}`;

export interface Budgets {
  /** Of which twelve sessions spend. */
  budgetPolicyId: string;
  /** A decision that would have passed a limit, and one whose outcome says what it used. */
  limitedId: string;
  settledId: string;
}

/** Limits that are free, nearly full, full and off. */
export async function createBudgets(app: TestApp, token: string, key: string): Promise<Budgets> {
  const money = { of: 'action.totalAmount', per: 'agent', window: '24h', most: 500 };
  await createLimit(app, token, { name: 'Goods of a day', tool: 'order_goods', limit: money });
  const tokens = { of: 'metadata.tokens', per: 'organization', window: 'ever', most: 100_000 };
  const off = { name: 'Tokens in all', tool: 'summarise', limit: tokens };
  const offId = await createLimit(app, token, off);
  const acts = { of: 'acts', per: 'session', window: '1h', most: 3 };
  const ofSessions = {
    name: `Questions ${HOSTILE.slice(1)}`.slice(0, 100),
    tool: 'ask',
    limit: acts,
  };
  const sessionsId = await createLimit(app, token, { ...ofSessions, type: 'flag_for_review' });
  const buy = (amount: number, agentId: string) =>
    buildSpending('order_goods', amount, { agentId });
  const settledId = await settleSpending(app, key, buy(250, 'buyer'), {
    amount: 220.5,
    tokens: 900,
  });
  await postMany(app, key, [
    buy(100, 'buyer'),
    buy(450, 'night-shop'),
    buy(500, `shop ${HOSTILE}`.slice(0, 100)),
    buildSpending('summarise', 0, { metadata: { tokens: 12_345 } }),
    ...Array.from({ length: 12 }, (_, at) =>
      buildSpending('ask', 0, { sessionId: `${HOSTILE.slice(0, 60 + at)} ${at}` }),
    ),
  ]);
  const path = `/api/v1/policies/${offId}`;
  assertOk(await app.call('PATCH', path, { token, body: { enabled: false } }));
  const [limited] = await postMany(app, key, [buy(80, 'night-shop')]);
  return { budgetPolicyId: sessionsId, limitedId: limited?.traceId ?? '', settledId };
}
