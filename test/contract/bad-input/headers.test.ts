// Bad headers, on an operation of keys and on one of people.
import { expect } from 'vitest';
import { findFault } from '../answers.ts';
import { examples } from '../examples/all.ts';
import { test } from './sweep.ts';

const HEADERS = [
  'x-workspace-id',
  'authorization',
  'x-api-key',
  'idempotency-key',
  'x-request-id',
  'user-agent',
];
const HEADER_TEXTS = [
  '{"$ne":null}',
  '__proto__',
  '-1',
  'a,b',
  'Bearer',
  'Bearer null',
  'x'.repeat(3000),
  '\u00ff',
];

test.for(HEADERS)('the header %s', async (header, { sweep }) => {
  for (const operation of ['POST /api/v1/traces', 'GET /api/v1/policies']) {
    for (const text of HEADER_TEXTS) {
      const sample = (await examples[operation]?.(sweep.home, sweep.home.owner.token)) ?? {};
      const answer = await sweep.send(operation, { sample, headers: { [header]: text } });
      expect(findFault(operation, answer), `${header}: ${text.slice(0, 40)}`).toBeNull();
    }
  }
});
