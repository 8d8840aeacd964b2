// The commands of the guide of sessions do what it says.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { toolPresets } from '@assay/policy';
import { useHarness, useOwner } from '../../setup/fixtures.ts';
import { assertOk, buildDecision, createAgent } from '../../setup/personas.ts';

const harness = useHarness();
const { app } = harness;
const ada = useOwner(harness);
const guide = readFileSync('docs/guides/sessions.md', 'utf8');

const COMMAND =
  /curl -s (?:-X (?<method>\w+) )?'?http:\S*?(?<path>\/api\/\S+)(?:[^`]*?-d '(?<body>[^']*)')?/g;

/** Names a decision where the guide has the beginning of an id. */
async function fillPath(path: string): Promise<string> {
  const plain = path.replace(/'$/, '');
  if (!plain.includes('trc_')) return plain;
  const { id, key } = await createAgent(app, ada);
  const action = { tool: 'read_mail' };
  const body = buildDecision(id, { sessionId: 'a', outputDecision: { action } });
  const decided = assertOk(await app.call('POST', '/api/v1/traces', { key, body }));
  return plain.replace(/trc_\w+\.\.\./, decided.body.data.traceId);
}

test('its commands work, in their order', async () => {
  const answers: Record<string, unknown>[] = [];
  for (const block of guide.matchAll(/```sh\n(.*?)```/gs))
    for (const { groups: { method, path = '', body } = {} } of block[1]?.matchAll(COMMAND) ?? []) {
      const verb = method ?? (body === undefined ? 'GET' : 'POST');
      const sent = { token: ada.token, ...(body !== undefined && { raw: body }) };
      answers.push(assertOk(await app.call(verb, await fillPath(path), sent)).body.data);
    }
  expect(answers).toMatchObject([
    { applied: ['fetch'] },
    { name: 'read_mail', entries: [{ gives: ['private', 'untrusted'] }] },
    { name: 'send_mail', entries: [{ does: ['outbound'] }] },
    { applied: [], tools: [{ name: 'close_case', state: 'new' }] },
    { decisions: 0, tools: [] },
    { name: 'Proven values', enabled: true },
    [],
    { steps: [{ tool: 'read_mail', status: 'approved' }], isLast: true },
  ]);
  const { _id } = answers.at(-3) as { _id: string };
  assertOk(await app.call('DELETE', `/api/v1/policies/${_id}`, { token: ada.token }));
});

test('with the template the three do not meet, and what is not listed is all three', async () => {
  const body = { templateId: 'lethal-trifecta' };
  assertOk(await app.call('POST', '/api/v1/policies/from-template', { token: ada.token, body }));
  const { key } = await createAgent(app, ada, 'Desk');
  const ask = async (sessionId: string, tool: string): Promise<number> => {
    const decision = buildDecision('Desk', { sessionId, outputDecision: { action: { tool } } });
    return (await app.call('POST', '/api/v1/traces', { key, body: decision })).status;
  };
  expect(await ask('one', 'send_mail')).toBe(201);
  expect(await ask('one', 'read_mail')).toBe(201);
  expect(await ask('one', 'sendMail')).toBe(403);
  expect(await ask('two', 'send_mail')).toBe(201);
  expect(await ask('two', 'what_is_this')).toBe(201);
  expect(await ask('two', 'what_is_this')).toBe(403);
});

test('it names every preset', () => {
  for (const { id } of toolPresets) expect(guide).toContain(`\`${id}\``);
});
