// The offline verifier on standing grants: what one lets through is what was given, and no more.
import type { Json } from '@assay/json';
import { expect, test } from 'vitest';
import {
  AGENT,
  disclosed,
  SampleChain,
} from '../../../../test/domain/record/samples/sample-chain.ts';
import type { GrantEntry } from '../../../../src/domain/grants/grant-use.ts';
import { Grants } from '../../src/decisions/grants.ts';
import type { View } from '../../src/view.ts';
import { verifyPinned } from '../verification.ts';

const ID = '65f0000000000000000000d1';
const UNTIL = '2026-04-11T12:00:05.000Z';
const DIGEST = 'd'.repeat(64);
const TERMS = { grantId: ID, agent: AGENT, toolDigest: DIGEST, uses: 2, until: UNTIL };
const USE = { id: ID, sequence: 1, uses: 2, until: UNTIL, toolDigest: DIGEST };

type Step =
  | 'other'
  | { grant: Partial<GrantEntry> }
  | { use: Record<string, Json>; status?: 'flagged' };

const GIVEN: Step = { grant: { status: 'granted' } };
const ENDED: Step = { grant: { status: 'revoked' } };
const USED: Step = { use: {} };

function build(steps: readonly Step[]): SampleChain {
  const chain = new SampleChain();
  for (const step of steps) {
    if (step === 'other') chain.trace();
    else if ('grant' in step)
      chain.attest({ kind: 'grant', ...TERMS, status: 'granted', ...step.grant });
    else chain.trace({ state: { grant: { ...USE, ...step.use } } }, step.status ?? 'approved');
  }
  return chain;
}

async function listFaults(steps: readonly Step[], from = 0, names?: string[]): Promise<string[]> {
  const { entries } = build(steps);
  const shown = disclosed(entries, names).slice(from);
  const { problems } = await verifyPinned(shown, entries.at(-1)!);
  return problems.map(({ code, sequence, message }) => `${code} ${sequence}: ${message}`);
}

test.each<[string, Step[]]>([
  ['both uses', [GIVEN, USED, USED]],
  ['an end after its uses', [GIVEN, USED, ENDED]],
  ['one that expired', [GIVEN, USED, { grant: { status: 'expired' } }]],
  ['what is not let through afterwards', [GIVEN, USED, ENDED, 'other']],
])('%s is intact', async (_what, steps) => {
  expect(await listFaults(steps)).toEqual([]);
});

test.each<[string, Step[], number, string]>([
  ['a third use', [GIVEN, USED, USED, USED], 4, 'more often than it was given for'],
  ['a use after the end', [GIVEN, ENDED, USED], 3, 'has ended'],
  ['a use of no grant', ['other', { use: { sequence: 1 } }], 2, 'a grant that is none'],
  ['a use before the grant', [{ use: { sequence: 2 } }, GIVEN], 1, 'a grant that is none'],
  ['more uses than were given', [GIVEN, { use: { uses: 3 } }], 2, 'with other terms'],
  ['a later end', [GIVEN, { use: { until: '2027-01-01T00:00:00.000Z' } }], 2, 'with other terms'],
  ['another tool', [GIVEN, { use: { toolDigest: 'e'.repeat(64) } }], 2, 'with other terms'],
  ['a held decision', [GIVEN, { use: {}, status: 'flagged' }], 2, 'not approved'],
  ['the grant of another agent', [{ grant: { agent: ID } }, USED], 2, 'another agent'],
  ['a second gift', [GIVEN, GIVEN], 2, 'a second time'],
  ['a second end', [GIVEN, ENDED, ENDED], 3, 'a second time'],
  ['an end with other terms', [GIVEN, { grant: { status: 'revoked', uses: 9 } }], 2, 'other terms'],
  [
    'a use after its time',
    [GIVEN, ...Array.from({ length: 9 }, (): Step => 'other'), USED],
    11,
    'after its time',
  ],
])('%s is tampered with', async (_what, steps, sequence, message) => {
  const [fault = ''] = await listFaults(steps);
  expect(fault).toContain(`grant-mismatch ${sequence}: `);
  expect(fault).toContain(message);
});

test('what is not shown, or began before the document, accuses no one', async () => {
  expect(await listFaults([GIVEN, USED, USED, USED], 0, ['submitted'])).toEqual([]);
  expect(await listFaults([GIVEN, USED, USED], 1)).toEqual([]);
  const faults = await listFaults([GIVEN, USED, ENDED, USED], 1);
  expect(faults.join()).toContain('has ended');
});

test('a document with more grants than are followed accuses none of them', () => {
  const grants = new Grants(0);
  const last = 100_010;
  const give = (sequence: number): string | null => {
    const view = { ...TERMS, kind: 'grant', grantId: `grant ${sequence}`, status: 'granted' };
    const entry = { sequence, createdAt: UNTIL };
    return grants.addEntry(entry, view as unknown as View, new Map());
  };
  const use = (sequence: number): string | null => {
    const grant = { ...USE, id: `grant ${sequence}`, sequence };
    const shown = new Map([['state', { values: [{ path: '', value: { grant } }] }]]) as never;
    const view = { kind: 'trace', status: 'approved', agent: AGENT } as View;
    return grants.addEntry(
      { sequence: last + 1, createdAt: '2026-04-11T12:00:00.000Z' },
      view,
      shown,
    );
  };
  const faults = Array.from({ length: last + 1 }, (_, at) => give(at));
  expect(faults.filter((fault) => fault !== null)).toEqual([]);
  expect([use(1), use(last)]).toEqual([null, null]);
});
