// Personal data and unlogged payloads: scrubbed at ingestion, absent from the database (document 2, section 2).
// @module-tag long
import { beforeAll, describe, expect, test } from 'vitest';
import { getCommittedValues, type Stored } from '../../../src/ledger/entry.ts';
import { useHarness, useOwner } from '../../setup/fixtures.ts';
import { toObjectId, openEntry } from '../../setup/harness.ts';
import {
  createAgent,
  buildDecision,
  assertOk,
  createOwner,
  createWorkspaceKey,
} from '../../setup/personas.ts';
import type { Answer, Call } from '../../setup/start-app.ts';

let key: string;
const harness = useHarness({}, { subscribesToEvents: () => Promise.resolve(true) });
const { app } = harness;
const ada = useOwner(harness);
beforeAll(async () => {
  ({ key } = await createWorkspaceKey(app, ada));
});

const post = (call: Call): Promise<Answer> => app.call('POST', '/api/v1/traces', { key, ...call });
const list = async (query: string) =>
  (await app.call('GET', `/api/v1/traces?${query}`, { token: ada.token })).body;

/** Every document of every collection as text; binary values read as text too. */
async function everything(): Promise<string> {
  const texts: string[] = [];
  for (const { name } of await harness.db.listCollections().toArray()) {
    for await (const row of harness.db.collection(name).find()) texts.push(JSON.stringify(row));
  }
  return texts.join('\n');
}

const EMAIL = 'grace.hopper@navy.example.com';
const IBAN = 'DE89 3704 0044 0532 0130 00';
const CARD = '4111 1111 1111 1111';
const PHONE = '+49 171 2345678';
const NATIONAL = 'ssn: 536-90-4399';

describe('personal data', () => {
  test.each<[what: string, text: string, found: [tag: string, canary: string]]>([
    ['an e-mail address', `write to ${EMAIL} now`, ['PII_EMAIL', EMAIL]],
    ['an IBAN', `pay to ${IBAN}.`, ['PII_IBAN', '0532 0130']],
    ['a card number', `card ${CARD}`, ['PII_CARD', '1111 1111']],
    ['a telephone number', `call ${PHONE}`, ['PII_PHONE', '2345678']],
    ['a national id number', NATIONAL, ['PII_NATIONAL_ID', '4399']],
    ['full-width digits', 'card ４１１１ １１１１ １１１１ １１１１', ['PII_CARD', '１１１１']],
    ['zero-width characters', 'grace.hopper\u200b@na\u200dvy.example.com', ['PII_EMAIL', 'hopper']],
  ])('%s is a tag, and a marker in list and read', async (_what, text, [tag, canary]) => {
    const body = buildDecision('x', {
      inputContext: { prompt: text },
      outputDecision: { action: 'a', rationale: text },
    });
    const { data } = assertOk(await post({ body })).body;
    expect(data.tags).toContain(tag);
    const [listed] = (await list('limit=1')).data;
    expect(listed.traceId).toBe(data.traceId);
    expect(listed.inputContext.prompt).toContain(`[${tag.slice('PII_'.length)}]`);
    const read = await app.call('GET', `/api/v1/traces/${listed._id}`, { token: ada.token });
    expect(read.text).not.toContain(canary);
    expect(JSON.stringify(listed)).not.toContain(canary);
  });

  test('is scrubbed everywhere: every member, keys, JSON in texts, the agent, its version, the event', async () => {
    await post({
      body: {
        agentId: `bot of ${EMAIL}`,
        agentVersion: `1.0 by ${EMAIL}`,
        inputContext: {
          prompt: `a ${EMAIL}`,
          systemPrompt: EMAIL,
          conversationId: EMAIL,
          context: { [EMAIL]: [{ deep: [EMAIL] }] },
          further: EMAIL,
        },
        outputDecision: {
          action: {
            tool: 'mail',
            arguments: JSON.stringify({ to: JSON.stringify({ address: EMAIL }) }),
          },
          rationale: EMAIL,
          alternatives: [{ decision: EMAIL, confidence: 0.2, why: EMAIL }],
          toolCalls: [EMAIL, { arg: EMAIL }],
        },
        rationale: `top ${EMAIL}`,
        alternatives: [{ decision: { to: EMAIL }, confidence: 0.1 }],
        triggeringCondition: `mail of ${EMAIL}`,
        metadata: { [EMAIL]: EMAIL, card: 4111111111111111 },
        adapter: { from: EMAIL },
        conversation: [EMAIL],
        crew: { [EMAIL]: 1 },
        art12: EMAIL,
        mlBomReference: EMAIL,
      },
      headers: {
        'user-agent': `${EMAIL}/1.0 (linux ${EMAIL})`,
        'idempotency-key': `order of ${EMAIL}`,
      },
    });
    const [shown] = (await list('limit=1')).data;
    expect(shown.agentId).toBe('bot of [EMAIL]');
    expect(shown.metadata).toEqual({ '[EMAIL]': '[EMAIL]', card: '[CARD]' });
    expect(JSON.stringify(shown)).not.toContain('hopper');
    await app.instance.runJobsOnce();
    const event = await harness.db
      .collection('outbox')
      .findOne({ 'payload.data.traceId': shown.traceId });
    expect(event?.payload.data.agentName).toBe('bot of [EMAIL]');
    const dump = await everything();
    expect(dump).not.toContain('hopper');
    expect(dump).not.toContain('4111111111111111');
    expect(app.logged.join('\n')).not.toContain('hopper');
  });

  test('four numbers joined by dots are a version where the version stands, an address elsewhere', async () => {
    const { data } = (await post({ body: buildDecision('x', { agentVersion: '10.0.0.1' }) })).body;
    expect(data.tags).not.toContain('PII_IP_ADDRESS');
    const found = await post({ body: buildDecision('x', { metadata: { host: '10.0.0.1' } }) });
    expect(found.body.data.tags).toContain('PII_IP_ADDRESS');
  });

  test('policies judge the submitted values, and scrubbed fields that they read are marked', async () => {
    const condition = {
      field: 'inputContext.prompt',
      operator: 'contains',
      value: 'rival@example.com',
    };
    const body = { name: 'Rivals', conditions: [condition], actions: [{ type: 'block' }] };
    assertOk(await app.call('POST', '/api/v1/policies', { token: ada.token, body }));
    const answer = await post({
      body: buildDecision('x', { inputContext: { prompt: 'from rival@example.com' } }),
    });
    expect(answer.status).toBe(403);
    const { traceId } = answer.body.data;
    const stored = await harness.db.collection<Stored>('ledger').findOne({ traceId });
    const sealed = getCommittedValues(await openEntry(app, stored as Stored));
    expect(sealed.inputContext?.text).toBe('{"prompt":"from [EMAIL]"}');
    expect(JSON.parse(sealed.evaluation?.text as string).scrubbed).toEqual(['inputContext.prompt']);
  });

  test('a decision that takes too much work to scrub is redacted, tagged, and matches policies on personal data', async () => {
    const conditions = [
      { field: 'pii.types', operator: 'contains', value: 'IBAN' },
      { field: 'outputDecision.action', operator: 'equals', value: 'archive' },
    ];
    const body = { name: 'No accounts', conditions, actions: [{ type: 'block' }] };
    assertOk(await app.call('POST', '/api/v1/policies', { token: ada.token, body }));
    const sent = buildDecision('x', {
      inputContext: { prompt: '44051401359 '.repeat(4_000), context: '0049 '.repeat(20_000) },
      outputDecision: { action: 'archive', rationale: `for ${EMAIL}` },
      metadata: { note: `to ${IBAN}`, region: 'eu' },
      timestamp: '2026-03-04T10:00:00.000Z',
    });
    const answer = await post({ body: sent });
    expect(answer.status).toBe(403);
    const { traceId } = answer.body.data;
    const found = (await list('limit=5')).data.find(
      (trace: { traceId: string }) => trace.traceId === traceId,
    );
    expect(found).toMatchObject({
      inputContext: { context: '[REDACTED]' },
      outputDecision: { action: 'archive', rationale: '[REDACTED]' },
      metadata: { note: '[REDACTED]', region: 'eu' },
      timestamp: '2026-03-04T10:00:00.000Z',
    });
    expect(found.tags).toEqual(
      expect.arrayContaining(['SCRUB_LIMIT', 'PII_EMAIL', 'PII_IBAN', 'PII_SECRET']),
    );
  });

  test('reasons and names that operators wrote are scrubbed in events', async () => {
    const bot = await createAgent(app, ada, `Bot ${EMAIL}`);
    const body = {
      name: 'Call',
      conditions: [{ field: 'outputDecision.action', operator: 'equals', value: 'call' }],
      actions: [{ type: 'block', config: { reason: `Ask ${EMAIL}` } }],
    };
    assertOk(await app.call('POST', '/api/v1/policies', { token: ada.token, body }));
    const { traceId } = (
      await post({ body: buildDecision(bot.id, { outputDecision: { action: 'call' } }) })
    ).body.data;
    await app.instance.runJobsOnce();
    const event = await harness.db
      .collection('outbox')
      .findOne({ 'payload.data.traceId': traceId });
    expect(event?.payload.data).toMatchObject({ reason: 'Ask [EMAIL]', agentName: 'Bot [EMAIL]' });
  });

  test('the additional pass is the agent’s choice', async () => {
    const bot = await createAgent(app, ada);
    const secretive = () => buildDecision(bot.id, { metadata: { host: '10.1.2.3', mail: EMAIL } });
    const shown = async () => {
      assertOk(await post({ body: secretive() }));
      return (await list('limit=1')).data[0].metadata as unknown;
    };
    expect(await shown()).toEqual({ host: '[IP_ADDRESS]', mail: '[EMAIL]' });
    const path = `/api/v1/agents/${bot.id}/policies`;
    assertOk(await app.call('PATCH', path, { token: ada.token, body: { piiMasking: false } }));
    expect(await shown()).toEqual({ host: '10.1.2.3', mail: '[EMAIL]' });
  });

  test('a decision stored under other rules is scrubbed on reading', async () => {
    const bob = await createOwner(app, 'Bob');
    const where = { _id: toObjectId(bob.organizationId) };
    await harness.db
      .collection('organizations')
      .updateOne(where, { $set: { scrubNationalIds: false } });
    const { key: bobs } = await createWorkspaceKey(app, bob);
    assertOk(
      await post({
        key: bobs,
        body: buildDecision('x', { metadata: { note: NATIONAL }, rationale: NATIONAL }),
      }),
    );
    const shown = async () =>
      (await app.call('GET', '/api/v1/traces', { token: bob.token })).body.data[0] as Record<
        string,
        unknown
      >;
    expect(await shown()).toMatchObject({ metadata: { note: NATIONAL }, rationale: NATIONAL });
    await harness.db
      .collection('organizations')
      .updateOne(where, { $set: { scrubNationalIds: true } });
    await expect.poll(shown).toMatchObject({
      metadata: { note: expect.not.stringContaining('4399') as string },
      rationale: expect.not.stringContaining('4399') as string,
    });
  });
});

describe('payloads that are not logged', () => {
  test('are committed to but not stored in the database', async () => {
    const bot = await createAgent(app, ada);
    const path = `/api/v1/agents/${bot.id}/policies`;
    assertOk(await app.call('PATCH', path, { token: ada.token, body: { logPayloads: false } }));
    const canary = 'xylophone-canary';
    const answer = await post({
      body: buildDecision(bot.id, {
        inputContext: { prompt: canary, context: { canary } },
        outputDecision: {
          action: { tool: canary },
          rationale: canary,
          alternatives: [{ decision: canary }],
        },
        rationale: canary,
        alternatives: [{ decision: canary, confidence: 0.2 }],
        conversation: [canary],
        crew: { said: canary },
        metadata: { ticket: 'T-1' },
      }),
    });
    expect(answer.status).toBe(201);
    await app.instance.runJobsOnce();
    expect(await everything()).not.toContain(canary);
    const stored = await harness.db
      .collection('ledger')
      .findOne({ traceId: answer.body.data.traceId });
    const view = JSON.parse(stored?.view as string) as { unstored: string[]; commitments: object };
    expect(view.unstored).toEqual([
      ...['alternatives', 'conversation', 'crew', 'inputContext', 'outputDecision'],
      ...['rationale', 'rawAction'],
    ]);
    expect(Object.keys(view.commitments)).toEqual(expect.arrayContaining(view.unstored));
    const [shown] = (await list(`agentId=${bot.id}`)).data;
    expect(shown).toMatchObject({
      inputContext: null,
      outputDecision: null,
      rationale: null,
      alternatives: null,
    });
    expect(shown.metadata).toEqual({ ticket: 'T-1' });
    expect((await list(`search=${canary}`)).total).toBe(0);
  });
});

test('the stored values are the committed ones', async () => {
  const { data } = (await app.call('POST', '/api/v1/hash-chain/verify', { token: ada.token })).body;
  expect(data).toMatchObject({
    verified: true,
    payload: { mismatched: [], missing: [], unstored: 22 },
  });
});
