// Logs: one JSON line per record, without secrets at any depth.
import { expect, test } from 'vitest';
import { createLogger } from '../../src/platform/observability/logger.ts';

function logged(details: object, level = 'trace'): string {
  const lines: string[] = [];
  createLogger(level, { write: (line) => lines.push(line) }).trace(details, 'said');
  return lines.join('');
}

const members = [
  'password',
  'newPassword',
  'currentPassword',
  'token',
  'tempToken',
  'apiKey',
  'key',
  'secret',
  'signingSecret',
  'authorization',
  'cookie',
  'x-api-key',
  'set-cookie',
];

test.each(members)('%s is redacted at the top and two levels down', (member) => {
  const canary = 'canary-of-a-secret';
  for (const details of [
    { [member]: canary },
    { body: { [member]: canary } },
    { req: { headers: { [member]: canary } } },
  ]) {
    const line = logged(details);
    expect(line).not.toContain(canary);
    expect(line).toContain('[redacted]');
  }
});

test('a record is one line of JSON with level, time and text', () => {
  const line = logged({ path: '/a\nb' });
  expect(line.trimEnd().split('\n')).toHaveLength(1);
  expect(JSON.parse(line)).toEqual({
    level: 10,
    time: expect.any(Number),
    path: '/a\nb',
    msg: 'said',
  });
});

test('an error is logged with its type and stack', () => {
  expect(JSON.parse(logged({ err: new TypeError('why') })).err).toMatchObject({
    type: 'TypeError',
    message: 'why',
  });
});

test('records below the level are not written', () => {
  expect(logged({}, 'info')).toBe('');
});
