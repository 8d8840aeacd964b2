// The commands of the guide of sessions do what it says.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { toolPresets } from '@assay/policy';
import { useHarness, useOwner } from '../../setup/fixtures.ts';
import { assertOk } from '../../setup/personas.ts';

const harness = useHarness();
const { app } = harness;
const ada = useOwner(harness);
const guide = readFileSync('docs/guides/sessions.md', 'utf8');

const COMMAND =
  /curl -s (?:-X (?<method>\w+) )?http:\S*?(?<path>\/api\/\S+)(?:[^`]*?-d '(?<body>[^']*)')?/g;

test('its commands work, in their order', async () => {
  const answers: Record<string, unknown>[] = [];
  for (const block of guide.matchAll(/```sh\n(.*?)```/gs))
    for (const { groups: { method, path = '', body } = {} } of block[1]?.matchAll(COMMAND) ?? []) {
      const verb = method ?? (body === undefined ? 'GET' : 'POST');
      const sent = { token: ada.token, ...(body !== undefined && { raw: body }) };
      answers.push(assertOk(await app.call(verb, path, sent)).body.data);
    }
  expect(answers).toMatchObject([
    { applied: ['fetch'] },
    { name: 'read_mail', entries: [{ gives: ['private', 'untrusted'] }] },
    { name: 'send_mail', entries: [{ does: ['outbound'] }] },
    { applied: [], tools: [{ name: 'close_case', state: 'new' }] },
    { decisions: 0, tools: [] },
  ]);
});

test('it names every preset', () => {
  for (const { id } of toolPresets) expect(guide).toContain(`\`${id}\``);
});
