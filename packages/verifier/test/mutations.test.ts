// Random alterations of valid bundles: each is found at its place; valid bundles raise no alarm.
// @module-tag varied
import { describe, expect, it } from 'vitest';
import type { BundleHeader } from '../../../src/domain/record/bundle.ts';
import { computePayloadDigest } from '../../../src/domain/record/chain.ts';
import {
  createBundleLines,
  createDice,
  disclosed,
  sampleHistory,
} from '../../../test/domain/record/samples/sample-chain.ts';
import type { Sample } from '../../../test/domain/record/samples/sample-chain.ts';
import {
  editView,
  createPin,
  resealEntries,
  rewriteChain,
  verify,
  verifyPinned,
} from './verification.ts';
import { chooseRuns } from '../../../test/setup/runs.ts';

type Mutation = (
  entries: Sample[],
  index: number,
  roll: (limit: number) => number,
) => { entries: Sample[]; place: number; header?: Partial<BundleHeader> };

/** Another hex digit at a place of a hash. */
function flipped(hash: string, at: number): string {
  return hash.slice(0, at) + (hash[at] === 'a' ? 'b' : 'a') + hash.slice(at + 1);
}

const at = (entries: Sample[], index: number, change: Partial<Sample>) =>
  entries.map((entry, i) => (i === index ? { ...entry, ...change } : entry));
const FLIPPED = ['prevHash', 'payloadDigest', 'chainHash'] as const;

/** Each does one kind of harm at `index` and names the sequence at which it must be found. */
const mutations: Record<string, Mutation> = {
  flip: (entries, index, roll) => {
    const member = FLIPPED[roll(3)]!;
    return {
      entries: at(entries, index, { [member]: flipped(entries[index]![member], roll(64)) }),
      place: index + 1,
    };
  },
  'delete in the middle': (entries, index) => {
    const middle = Math.min(index, entries.length - 2);
    return {
      entries: entries.toSpliced(middle, 1),
      place: middle + 1,
      header: { range: { fromSequence: 1, toSequence: entries.length } },
    };
  },
  'delete at the end': (entries) => ({ entries: entries.slice(0, -1), place: entries.length }),
  swap: (entries, index) => {
    const first = Math.min(index, entries.length - 2);
    return {
      entries: entries.toSpliced(first, 2, entries[first + 1]!, entries[first]!),
      place: first + 1,
      header: { range: { fromSequence: 1, toSequence: entries.length } },
    };
  },
  insert: (entries, index) => ({
    entries: entries.toSpliced(index + 1, 0, entries[index]!),
    place: index + 2,
  }),
  'edit a view': (entries, index) => {
    const view = editView(entries[index]!.view, { workspaceId: 'x' });
    return { entries: at(entries, index, { view }), place: index + 1 };
  },
  'edit a view and its digest': (entries, index) => {
    const view = editView(entries[index]!.view, { workspaceId: 'x' });
    return {
      entries: at(entries, index, { view, payloadDigest: computePayloadDigest(view) }),
      place: index + 1,
    };
  },
  'edit a view and seal one entry again': (entries, index) => {
    const view = editView(entries[index]!.view, { workspaceId: 'x' });
    const sealed = resealEntries(at(entries, index, { view }), index);
    const mixed = sealed.map((entry, i) => (i > index ? entries[i]! : entry));
    return { entries: mixed, place: Math.min(index + 2, entries.length) };
  },
  relabel: (entries, index, roll) => {
    const change =
      roll(2) === 0 ? { traceId: 'trc_other' } : { organizationId: '65f000000000000000000002' };
    return { entries: at(entries, index, change), place: index + 1 };
  },
  'move in time': (entries, index) => ({
    entries: at(entries, index, { createdAt: '2026-04-11T11:00:00.000Z' }),
    place: index + 1,
  }),
  'rewrite all': (entries, index) => ({
    entries: rewriteChain(entries, index),
    place: entries.length,
  }),
};

describe('mutations', () => {
  const kinds = Object.keys(mutations);
  const trials = Array.from({ length: chooseRuns(110, 330) }, (_, i) => ({
    kind: kinds[i % kinds.length]!,
    seed: i,
  }));

  it('finds random ones, each at its place', async () => {
    for (const { kind, seed } of trials) {
      const roll = createDice(seed);
      const history = disclosed(sampleHistory(seed, 5 + roll(20)));
      const { entries, place, header } = mutations[kind]!(history, roll(history.length), roll);
      const report = await verifyPinned(entries, history.at(-1)!, header);
      const what = `${kind}, seed ${seed}`;
      expect(report.verdict, what).toBe('tampered');
      expect(report.problems[0]!.sequence, what).toBe(place);
    }
  });

  it('finds a chain rewritten from a changed decision only through a pin at or after it', async () => {
    const history = sampleHistory(5, 12);
    const entries = rewriteChain(history, 11);
    expect(await verify(createBundleLines(entries))).toMatchObject({
      verdict: 'cannot tell',
      problems: [{ code: 'not-vouched' }],
    });
    expect(await verifyPinned(entries, history[10]!)).toMatchObject({
      verdict: 'cannot tell',
      vouchedUpTo: 11,
    });
    expect(await verifyPinned(entries, history[11]!)).toMatchObject({
      verdict: 'tampered',
      problems: [{ sequence: 12 }],
    });
  });

  it('never calls a document with a changed byte intact, except in members that prove nothing', async () => {
    const history = disclosed(sampleHistory(11, 8));
    const lines = createBundleLines(history);
    const roll = createDice(99);
    for (let i = 0; i < chooseRuns(200, 600); i++) {
      const index = roll(lines.length);
      const line = lines[index]!;
      const place = roll(line.length);
      const changed =
        line.slice(0, place) + String.fromCharCode(32 + roll(95)) + line.slice(place + 1);
      const unproved = /"exportedAt":"[^"]*"|"recipe":\[.*\],"entries"|^\{"id":"[^"]*"/g;
      if (changed.replace(unproved, '') === line.replace(unproved, '')) continue;
      const report = await verify(lines.with(index, changed), {
        pins: [createPin(history.at(-1))],
      });
      expect(report.verdict, `line ${index}: ${changed}`).not.toBe('intact');
    }
  });

  it('never alarms over valid histories, whole or in part', async () => {
    for (let seed = 0; seed < chooseRuns(30, 100); seed++) {
      const roll = createDice(seed);
      const history = disclosed(sampleHistory(seed, 5 + roll(40)));
      const from = roll(history.length);
      const last = history.at(-1)!;
      expect(await verifyPinned(history, last), `seed ${seed}`).toMatchObject({
        verdict: 'intact',
      });
      expect(
        await verifyPinned(history.slice(from), last),
        `seed ${seed} from ${from}`,
      ).toMatchObject({
        verdict: 'intact',
      });
    }
  });
});
