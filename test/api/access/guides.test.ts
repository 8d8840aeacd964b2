// The examples of the guides to other people's interfaces: what they send gets what they show.
import { readFileSync } from 'node:fs';
import { beforeAll, expect, test } from 'vitest';
import { useHarness, useOwner } from '../../setup/fixtures.ts';
import { assertOk, createWorkspaceKey } from '../../setup/personas.ts';

const harness = useHarness();
const { app } = harness;
const ada = useOwner(harness);
let key: string;

beforeAll(async () => {
  ({ key } = await createWorkspaceKey(app, ada));
  assertOk(
    await app.call('POST', '/api/v1/policies', {
      token: ada.token,
      body: {
        name: 'Large refunds',
        conditions: [
          { field: 'outputDecision.action.arguments.amount', operator: 'greater_than', value: 500 },
        ],
        actions: [{ type: 'flag_for_review', config: { reason: 'Above 500' } }],
      },
    }),
  );
});

interface Example {
  path: string;
  headers: Record<string, string>;
  body: string;
  answer: unknown;
}

/** A command with curl, and the answer below it. */
const EXAMPLE =
  /```sh\ncurl -s http:\/\/127\.0\.0\.1:3000(\S+)(.*?)-d '(.*?)'\n```\n\n```json\n(.*?)```/gs;

function readExamples(guide: string): Example[] {
  const text = readFileSync(`docs/guides/${guide}.md`, 'utf8');
  return [...text.matchAll(EXAMPLE)].map(([, path = '', options = '', body = '', answer = '']) => ({
    path,
    headers: Object.fromEntries(
      [...options.matchAll(/-H ['"]([\w-]+): ([^'"]*)['"]/g)].map(([, name = '', value = '']) => [
        name,
        value.replace('$ASSAY_KEY', key),
      ]),
    ),
    body,
    answer: JSON.parse(answer, (_, value: unknown) => (value === '…' ? expect.any(String) : value)),
  }));
}

test.for([
  ['authzen', 3],
  ['agent-control-standard', 1],
] as [string, number][])('%s', async ([guide, count]) => {
  const examples = readExamples(guide);
  expect(examples).toHaveLength(count);
  for (const { path, headers, body, answer } of examples) {
    const { status, body: got } = await app.call('POST', path, { raw: body, headers });
    expect([status, got], path).toEqual([200, answer]);
  }
});
