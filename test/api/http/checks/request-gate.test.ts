// The gate of requests: how many of each kind an organisation has at a time, alone and beside another.
import { expect, test } from 'vitest';
import type { Caller } from '../../../../src/domain/identity/tenant.ts';
import { createRequestGate } from '../../../../src/http/checks/request-gate.ts';
import { createOwnShared } from '../../../../src/platform/shared/shared.ts';
import type { Route } from '../../../../src/http/declaration/define-route.ts';

const of = (organizationId: string): Caller => ({ tenant: { organizationId } }) as Caller;

const kinds: [string, Partial<Route>, { alone: number; besideOthers: number }][] = [
  ['an ordinary request', {}, { alone: 4, besideOthers: 2 }],
  ['a heavy answer', { heavy: true }, { alone: 2, besideOthers: 1 }],
  ['many decisions', { countDecisions: () => 100 }, { alone: 4, besideOthers: 1 }],
];

test.for(kinds)('%s', ([, route, { alone, besideOthers }]) => {
  const gate = createRequestGate(1, createOwnShared());
  const enter = (name: string): unknown => gate.enter(route as Route, of(name));
  const areAdmitted = (name: string): number =>
    Array.from({ length: 8 }, () => enter(name)).filter((entered) => !(entered instanceof Promise))
      .length;
  expect(areAdmitted('a')).toBe(alone);
  expect(areAdmitted('b')).toBe(besideOthers);
});

test('streams, single decisions and strangers pass', () => {
  const gate = createRequestGate(1, createOwnShared());
  expect(gate.enter({ kind: 'stream' } as Route, of('a'))).toBeNull();
  expect(gate.enter({ batched: true } as Route, of('a'))).toBeNull();
  expect(gate.enter({} as Route, null)).toBeNull();
});
