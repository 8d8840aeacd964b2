// The offline verifier: every lawful history is intact, every mutation is found where it was made.
import { describe, expect, it } from 'vitest';
import type { BundleHeader } from '../../../src/domain/record/bundle.ts';
import { canonicalize } from '../../../src/domain/record/canonical-json.ts';
import { chainHash, payloadDigest, ZERO_HASH } from '../../../src/domain/record/chain.ts';
import type { Position } from '../../../src/domain/record/chain.ts';
import type { JsonObject } from '../../../src/domain/record/json.ts';
import type { Pin } from '../../../scripts/verify-bundle/pins.ts';
import { readPin } from '../../../scripts/verify-bundle/pins.ts';
import type { FieldRow, Report } from '../../../scripts/verify-bundle/report.ts';
import type { Options } from '../../../scripts/verify-bundle/verify.ts';
import { verifyBundle } from '../../../scripts/verify-bundle/verify.ts';
import {
  bundleOf,
  dice,
  disclosed,
  ORGANIZATION,
  receiptOf,
  SampleChain,
  sampleHistory,
} from './sample-chain.ts';
import type { Sample } from './sample-chain.ts';

async function* stream(lines: readonly string[]) {
  yield* lines;
}

function verify(lines: readonly string[], options: Options = {}): Promise<Report> {
  return verifyBundle(stream(lines), options);
}

function pinAt(entry: Sample | undefined, facts: Partial<Pin> = {}): Pin {
  const { sequence, chainHash } = entry!;
  return { sequence, chainHash, traceId: null, salt: null, createdAt: null, ...facts };
}

/** Verifies entries as one document, pinned at its honest end. */
function verifyPinned(
  entries: readonly Sample[],
  pinned: Sample,
  header: Partial<BundleHeader> = {},
) {
  return verify(bundleOf(entries, header), {
    pins: [pinAt(pinned, { createdAt: pinned.createdAt })],
  });
}

function edited(view: string, members: object): string {
  return canonicalize({ ...(JSON.parse(view) as JsonObject), ...members });
}

/** Seals entries anew from an index on. */
function resealed(entries: readonly Sample[], from: number): Sample[] {
  let prevHash = entries[from - 1]?.chainHash ?? ZERO_HASH;
  return entries.map((entry, i) => {
    if (i < from) return entry;
    const link = {
      prevHash,
      payloadDigest: payloadDigest(entry.view),
      sequence: i + 1,
      createdAt: entry.createdAt,
    };
    prevHash = chainHash(link);
    return { ...entry, ...link, chainHash: prevHash };
  });
}

/** Does what somebody would who can write the whole database: edits a view and makes all that follows fit. */
function rewritten(entries: readonly Sample[], index: number): Sample[] {
  let all = entries.map((entry, i) =>
    i === index ? { ...entry, view: edited(entry.view, { workspaceId: 'x' }) } : entry,
  );
  for (let i = index; i < all.length; i++) {
    const { subject, after } = JSON.parse(all[i]!.view) as {
      subject?: Position;
      after?: Position | null;
    };
    const anew = (to: Position) => ({ ...to, chainHash: all[to.sequence - 1]!.chainHash });
    const view = edited(all[i]!.view, {
      ...(subject ? { subject: anew(subject) } : {}),
      ...(after ? { after: anew(after) } : {}),
    });
    all = resealed(all.with(i, { ...all[i]!, view }), i);
  }
  return all;
}

describe('verdicts', () => {
  const history = disclosed(sampleHistory(7, 30));
  const last = history.at(-1)!;

  it('is intact when a pin vouches for the last entry', async () => {
    const report = await verifyPinned(history, last);
    expect(report).toMatchObject({
      verdict: 'intact',
      problems: [],
      entries: 30,
      vouchedUpTo: 30,
      lastSequence: 30,
    });
  });

  it('cannot tell without a pin at the last entry, and says how far one vouches', async () => {
    expect(await verify(bundleOf(history))).toMatchObject({
      verdict: 'cannot tell',
      vouchedUpTo: null,
    });
    const report = await verifyPinned(history, history[11]!);
    expect(report).toMatchObject({ verdict: 'cannot tell', vouchedUpTo: 12 });
    expect(report.problems[0]).toMatchObject({
      code: 'not-vouched',
      message: 'consistent; vouched for up to 12',
    });
  });

  it('verifies a part of a chain, and its link to a pin before it', async () => {
    const part = history.slice(10, 20);
    const head = { sequence: 30, chainHash: last.chainHash };
    const pins = [pinAt(history[9]), pinAt(history[19])];
    expect(await verify(bundleOf(part, { head }), { pins })).toMatchObject({
      verdict: 'intact',
      firstSequence: 11,
    });
    const wrong = [pinAt(history[9], { chainHash: ZERO_HASH }), pinAt(history[19])];
    expect(await verify(bundleOf(part, { head }), { pins: wrong })).toMatchObject({
      verdict: 'tampered',
      problems: [{ code: 'pin-mismatch', sequence: 10 }],
    });
  });

  it('does not take a pin beyond the last entry for proof', async () => {
    const part = history.slice(0, 20);
    const head = { sequence: 30, chainHash: last.chainHash };
    const report = await verify(bundleOf(part, { head }), { pins: [pinAt(last)] });
    expect(report).toMatchObject({ verdict: 'cannot tell', problems: [{ code: 'not-vouched' }] });
    expect(report.problems[0]!.message).toContain('the pin at 30 is beyond it');
  });

  it('holds the claimed head against a pin', async () => {
    const part = history.slice(0, 20);
    const head = { sequence: 30, chainHash: ZERO_HASH };
    expect(
      await verify(bundleOf(part, { head }), { pins: [pinAt(last), pinAt(part[19])] }),
    ).toMatchObject({
      verdict: 'tampered',
      problems: [{ code: 'pin-mismatch', sequence: 30 }],
    });
  });

  it('knows an older document from one whose tail was cut by the time of the pin', async () => {
    const part = history.slice(0, 20);
    const pins = [pinAt(part[19]), pinAt(last, { createdAt: last.createdAt })];
    expect(await verify(bundleOf(part, { exportedAt: last.createdAt }), { pins })).toMatchObject({
      verdict: 'intact',
    });
    expect(await verify(bundleOf(part), { pins })).toMatchObject({
      verdict: 'tampered',
      problems: [{ sequence: 30 }],
    });
  });

  it('holds organisation and start of the chain against what is expected', async () => {
    const pins = [pinAt(last)];
    const chainStart = history[0]!.chainHash;
    const lines = bundleOf(history);
    expect(await verify(lines, { pins, organizationId: ORGANIZATION, chainStart })).toMatchObject({
      verdict: 'intact',
    });
    expect(await verify(lines, { pins, organizationId: 'other' })).toMatchObject({
      verdict: 'tampered',
    });
    expect(await verify(lines, { pins, chainStart: ZERO_HASH })).toMatchObject({
      verdict: 'tampered',
      problems: [{ code: 'chain-mismatch', sequence: 1 }],
    });
    const later = bundleOf(history.slice(5));
    expect(await verify(later, { pins, chainStart })).toMatchObject({
      problems: [{ code: 'chain-start-unseen' }],
    });
  });

  it('reads an audit chain', async () => {
    const chain = new SampleChain('audit');
    for (let i = 0; i < 3; i++) chain.audit();
    const header = { chain: 'audit' as const };
    expect(await verifyPinned(chain.entries, chain.entries[2]!, header)).toMatchObject({
      verdict: 'intact',
    });
    const relabelled = await verifyPinned(chain.entries.slice(1), chain.entries[2]!);
    expect(relabelled).toMatchObject({
      verdict: 'tampered',
      problems: [{ code: 'copy-mismatch', sequence: 2 }, { sequence: 3 }],
    });
  });

  it('can tell nothing from an empty chain', async () => {
    expect(await verify(bundleOf([]))).toMatchObject({
      verdict: 'cannot tell',
      problems: [{ code: 'not-vouched' }],
      entries: 0,
    });
  });
});

describe('pins', () => {
  const hash = 'ab'.repeat(32);
  const at = '2026-04-11T12:00:00.000Z';
  const base = { sequence: 3, chainHash: hash, traceId: null, salt: null, createdAt: null };
  it.each([
    ['a head', { sequence: 3, chainHash: hash }, base],
    [
      'a receipt',
      { sequence: 3, chainHash: hash, salt: 's', traceId: 't' },
      { ...base, salt: 's', traceId: 't' },
    ],
    [
      'the answer of an ingestion',
      {
        success: true,
        data: {
          traceId: 't',
          createdAt: at,
          hashChain: { sequence: 3, chainHash: hash, salt: 's' },
        },
      },
      { ...base, salt: 's', traceId: 't', createdAt: at },
    ],
    [
      'the answer with an entry',
      {
        success: true,
        data: { entry: { sequence: 3, chainHash: hash, traceId: 't', createdAt: at }, proof: null },
      },
      { ...base, traceId: 't', createdAt: at },
    ],
    [
      'a status',
      { data: { lastSequence: 3, lastChainHash: hash, lastEntryAt: at } },
      { ...base, createdAt: at },
    ],
    ['a list', [{ sequence: 3, chainHash: hash }], null],
    ['a status of an empty chain', { lastSequence: null, lastChainHash: null }, null],
    ['a hash that is none', { sequence: 3, chainHash: 'abc' }, null],
    ['a sequence that is none', { sequence: 0, chainHash: hash }, null],
  ])('are read from %s', (_name, value, pin) => {
    expect(readPin(value)).toEqual(pin);
  });
});

describe('what was submitted', () => {
  const chain = new SampleChain();
  const entry = chain.trace({ amount: 5 });
  const body = Buffer.from(JSON.stringify({ traceId: entry.traceId, amount: 5 }));
  const receipt = readPin({
    success: true,
    data: { createdAt: entry.createdAt, hashChain: receiptOf(entry) },
  })!;

  it('is shown by the receipt and the kept body', async () => {
    const options = { pins: [receipt], body };
    expect(await verify(bundleOf(chain.entries), options)).toMatchObject({
      verdict: 'intact',
      submitted: true,
    });
  });

  it('is denied for another body', async () => {
    const options = { pins: [receipt], body: Buffer.from('{}') };
    expect(await verify(bundleOf(chain.entries), options)).toMatchObject({
      verdict: 'tampered',
      submitted: false,
      problems: [{ code: 'submitted-mismatch', sequence: 1 }],
    });
  });

  it('is not told from a receipt for another trace', async () => {
    const pins = [{ ...receipt, traceId: 'trc_other' }];
    expect(await verify(bundleOf(chain.entries), { pins })).toMatchObject({
      verdict: 'tampered',
      vouchedUpTo: null,
    });
  });
});

describe('fields', () => {
  it('are shown, partly shown, withheld, not stored or erased', async () => {
    const chain = new SampleChain();
    for (let i = 0; i < 5; i++) chain.trace();
    chain.fact('erasure', 0);
    const entries = disclosed(chain.entries);
    entries[1]!.disclosures = [];
    entries[2]!.disclosures = entries[2]!.disclosures.filter(
      (text) => !text.includes('"currency"'),
    );
    const rows: FieldRow[] = [];
    const report = await verify(bundleOf(entries), {
      pins: [pinAt(entries[5])],
      onField: (row) => rows.push(row),
    });
    expect(report).toMatchObject({
      verdict: 'intact',
      fields: { shown: 11, partlyShown: 1, withheld: 4, notStored: 1, erased: 4 },
    });
    const stateOf = (sequence: number, name: string) =>
      rows.findLast((row) => row.sequence === sequence && row.name === name);
    expect(stateOf(1, 'outputDecision')).toMatchObject({ state: 'erased', at: 6 });
    expect(stateOf(2, 'outputDecision')).toMatchObject({ state: 'withheld' });
    expect(stateOf(3, 'outputDecision')).toMatchObject({
      state: 'partly shown',
      values: [
        { path: '/action/arguments/amount', value: 120 },
        { path: '/action/tool', value: 'refund' },
        { path: '/rationale', value: 'In time.' },
      ],
    });
    expect(stateOf(5, 'inputContext')).toMatchObject({ state: 'not stored' });
    expect(stateOf(6, 'request')).toMatchObject({
      state: 'shown',
      values: [{ path: '', value: { by: 'customer' } }],
    });
  });
});

describe('disclosures that do not belong', () => {
  const [entry] = disclosed([new SampleChain().trace()]);
  const texts = entry!.disclosures;
  const root = texts.findIndex((text) => text.includes('"outputDecision"'));
  const cases: [string, string[]][] = [
    ['not canonical', [...texts.slice(0, -1), texts.at(-1)!.replace(',', ', ')]],
    ['another value', [texts[0]!.replace(/"[0-9a-f]{64}"\]$/, `"${ZERO_HASH}"]`)]],
    ['used twice', [...texts, texts[0]!]],
    ['a child without its parent', [texts[root + 1]!]],
    ['no array', ['{}']],
  ];
  it.each(cases)('%s', async (_name, disclosures) => {
    const report = await verifyPinned([{ ...entry!, disclosures }], entry!);
    expect(report).toMatchObject({
      verdict: 'tampered',
      problems: [{ code: 'disclosure-mismatch', sequence: 1 }],
    });
  });
});

describe('references', () => {
  const chain = new SampleChain();
  for (let i = 0; i < 3; i++) chain.trace();
  chain.fact('correction', 0);
  chain.fact('status', 0);
  chain.compliance('6.1');
  chain.compliance('6.1');
  const at = (index: number) => ({
    sequence: index + 1,
    chainHash: chain.entries[index]!.chainHash,
  });
  const cases: [string, number, Record<string, unknown>][] = [
    ['subject of another decision', 3, { subject: at(1), after: at(1) }],
    ['subject with another hash', 3, { subject: { ...at(0), chainHash: ZERO_HASH }, after: at(0) }],
    ['after that is not the newest', 4, { after: at(0) }],
    ['after that is not yet', 4, { after: { sequence: 5, chainHash: ZERO_HASH } }],
    ['after of another decision', 4, { after: at(2) }],
    ['subject that is a later fact', 4, { subject: at(3), after: at(3) }],
    ['clause after nothing, although it has an entry', 6, { after: null }],
    ['clause after an entry of something else', 5, { after: at(2) }],
  ];
  it.each(cases)('%s', async (_name, index, members) => {
    const entries = chain.entries.map((entry) => ({ ...entry }));
    entries[index]!.view = edited(entries[index]!.view, members);
    const sealed = resealed(entries, index);
    const report = await verifyPinned(sealed, sealed.at(-1)!);
    expect(report.problems[0]).toMatchObject({
      verdict: 'tampered',
      code: 'reference-mismatch',
      sequence: index + 1,
    });
  });
});

describe('what it cannot read', () => {
  const history = sampleHistory(3, 6);
  const lines = bundleOf(history);
  const pins = [pinAt(history[5])];
  const withLine = (index: number, change: (line: string) => string) =>
    lines.map((line, i) => (i === index ? change(line) : line));
  const withView = (members: object) => {
    const entries = history.map((entry) => ({ ...entry }));
    entries[2]!.view = edited(entries[2]!.view, members);
    return resealed(entries, 2);
  };
  const cases: [string, string[]][] = [
    ['nothing at all', []],
    ['a document that was cut off', lines.slice(0, 5)],
    ['a line that was cut off', withLine(6, (line) => line.slice(0, 100)).slice(0, 7)],
    ['a document that is not in the line layout', [JSON.stringify(JSON.parse(lines.join('\n')))]],
    ['a duplicate key', withLine(3, (line) => line.replace('"id":', '"id":"x","id":'))],
    ['a duplicate key in a view', withLine(3, (line) => line.replace('"v":1', '"v":1,"v":1'))],
    ['a second spelling', withLine(3, (line) => line.replace('"v":1', '"v":1.0'))],
    ['an unknown member', withLine(3, (line) => line.replace('"id":', '"more":1,"id":'))],
    [
      'a missing view',
      withLine(3, (line) => line.replace(/"view":\{.*\},"disc/, '"view":null,"disc')),
    ],
    ['another format', withLine(0, (line) => line.replace('assay-bundle', 'other-bundle'))],
    ['another version', withLine(0, (line) => line.replace('"version":1', '"version":2'))],
    ['another algorithm', withLine(0, (line) => line.replace('sha256', 'sha512'))],
    ['a missing comma', withLine(2, (line) => line.slice(0, -1))],
    ['a comma too many', withLine(6, (line) => `${line},`)],
    ['text after the end', [...lines, '{}']],
    [
      'deep nesting',
      withLine(3, (line) =>
        line.replace('"v":1', `"v":${'['.repeat(100_000)}${']'.repeat(100_000)}`),
      ),
    ],
  ];
  it.each(cases)('%s', async (_name, document) => {
    expect(await verify(document, { pins })).toMatchObject({ verdict: 'cannot tell' });
  });

  it.each([
    ['an unknown v', { v: 2 }],
    ['an unknown kind', { kind: 'prophecy' }],
    ['an unknown member', { mood: 'good' }],
    ['a string outside the alphabet', { workspaceId: 'Zoë' }],
    ['a number that is not whole', { v: 1.5 }],
  ])('a view with %s', async (_name, members) => {
    const entries = withView(members);
    expect(await verifyPinned(entries, entries[5]!)).toMatchObject({
      verdict: 'cannot tell',
      problems: [{ code: 'view-unknown', sequence: 3 }],
      vouchedUpTo: 6,
    });
  });
});

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
    const view = edited(entries[index]!.view, { workspaceId: 'x' });
    return { entries: at(entries, index, { view }), place: index + 1 };
  },
  'edit a view and its digest': (entries, index) => {
    const view = edited(entries[index]!.view, { workspaceId: 'x' });
    return {
      entries: at(entries, index, { view, payloadDigest: payloadDigest(view) }),
      place: index + 1,
    };
  },
  'edit a view and seal one entry anew': (entries, index) => {
    const view = edited(entries[index]!.view, { workspaceId: 'x' });
    const sealed = resealed(at(entries, index, { view }), index);
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
    entries: rewritten(entries, index),
    place: entries.length,
  }),
};

describe('mutations', () => {
  const kinds = Object.keys(mutations);
  const trials = Array.from({ length: 330 }, (_, i) => ({
    kind: kinds[i % kinds.length]!,
    seed: i,
  }));

  it('finds 330 random ones, each at its place', async () => {
    for (const { kind, seed } of trials) {
      const roll = dice(seed);
      const history = disclosed(sampleHistory(seed, 5 + roll(20)));
      const { entries, place, header } = mutations[kind]!(history, roll(history.length), roll);
      const report = await verifyPinned(entries, history.at(-1)!, header);
      const what = `${kind}, seed ${seed}`;
      expect(report.verdict, what).toBe('tampered');
      expect(report.problems[0]!.sequence, what).toBe(place);
    }
  });

  it('finds a whole rewritten from a change of a decision on only through a pin at or after it', async () => {
    const history = sampleHistory(5, 12);
    const entries = rewritten(history, 11);
    expect(await verify(bundleOf(entries))).toMatchObject({
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

  it('never takes a document with a changed byte for intact, but for the members that prove nothing', async () => {
    const history = disclosed(sampleHistory(11, 8));
    const lines = bundleOf(history);
    const roll = dice(99);
    for (let i = 0; i < 600; i++) {
      const index = roll(lines.length);
      const line = lines[index]!;
      const place = roll(line.length);
      const changed =
        line.slice(0, place) + String.fromCharCode(32 + roll(95)) + line.slice(place + 1);
      const unproved = /"exportedAt":"[^"]*"|"recipe":\[.*\],"entries"|^\{"id":"[^"]*"/g;
      if (changed.replace(unproved, '') === line.replace(unproved, '')) continue;
      const report = await verify(lines.with(index, changed), { pins: [pinAt(history.at(-1))] });
      expect(report.verdict, `line ${index}: ${changed}`).not.toBe('intact');
    }
  });

  it('never alarms over 100 lawful histories, whole or in part', async () => {
    for (let seed = 0; seed < 100; seed++) {
      const roll = dice(seed);
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
