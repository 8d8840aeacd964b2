// The offline verifier: verdicts, pins, receipts, values, references, and unreadable documents.
import { describe, expect, it } from 'vitest';
import { ZERO_HASH } from '../../../src/domain/record/chain.ts';
import { readPin, readShortPin } from '../src/pins/pins.ts';
import type { FieldRow } from '../src/report.ts';
import {
  createBundleLines,
  disclosed,
  ORGANIZATION,
  createReceipt,
  SampleChain,
  sampleHistory,
} from '../../../test/domain/record/samples/sample-chain.ts';
import { editView, createPin, resealEntries, verify, verifyPinned } from './verification.ts';

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
    expect(await verify(createBundleLines(history))).toMatchObject({
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
    const pins = [createPin(history[9]), createPin(history[19])];
    expect(await verify(createBundleLines(part, { head }), { pins })).toMatchObject({
      verdict: 'intact',
      firstSequence: 11,
    });
    const wrong = [createPin(history[9], { chainHash: ZERO_HASH }), createPin(history[19])];
    expect(await verify(createBundleLines(part, { head }), { pins: wrong })).toMatchObject({
      verdict: 'tampered',
      problems: [{ code: 'pin-mismatch', sequence: 10 }],
    });
  });

  it('does not accept a head before the last entry, nor none', async () => {
    const earlier = { sequence: 29, chainHash: history[28]!.chainHash };
    for (const head of [earlier, null]) {
      const report = await verify(createBundleLines(history, { head }), {
        pins: [createPin(last)],
      });
      expect(report.verdict).not.toBe('intact');
      expect(JSON.stringify(report.problems)).toContain('the head precedes the last entry');
    }
  });

  it('does not accept a pin beyond the last entry as proof', async () => {
    const part = history.slice(0, 20);
    const head = { sequence: 30, chainHash: last.chainHash };
    const report = await verify(createBundleLines(part, { head }), { pins: [createPin(last)] });
    expect(report).toMatchObject({ verdict: 'cannot tell', problems: [{ code: 'not-vouched' }] });
    expect(report.problems[0]!.message).toContain('the pin at 30 is beyond it');
  });

  it('compares the claimed head with a pin', async () => {
    const part = history.slice(0, 20);
    const head = { sequence: 30, chainHash: ZERO_HASH };
    expect(
      await verify(createBundleLines(part, { head }), {
        pins: [createPin(last), createPin(part[19])],
      }),
    ).toMatchObject({
      verdict: 'tampered',
      problems: [{ code: 'pin-mismatch', sequence: 30 }],
    });
  });

  it('distinguishes an older document from one with a cut tail by the time of the pin', async () => {
    const part = history.slice(0, 20);
    const pins = [createPin(part[19]), createPin(last, { createdAt: last.createdAt })];
    expect(
      await verify(createBundleLines(part, { exportedAt: last.createdAt }), { pins }),
    ).toMatchObject({
      verdict: 'intact',
    });
    expect(await verify(createBundleLines(part), { pins })).toMatchObject({
      verdict: 'tampered',
      problems: [{ sequence: 30 }],
    });
  });

  it('detects a document with a wrong time of export', async () => {
    const part = history.slice(0, 20);
    const pins = [createPin(part[19]), createPin(last, { createdAt: last.createdAt })];
    const lastAt = Date.parse(part[19]!.createdAt);
    const at = (ms: number) =>
      createBundleLines(part, { exportedAt: new Date(lastAt + ms).toISOString() });
    expect(await verify(at(-60_000), { pins })).toMatchObject({ verdict: 'intact' });
    for (const lines of [
      at(-60_001),
      createBundleLines(part, { exportedAt: '2020-01-01T00:00:00.000Z' }),
    ])
      expect(await verify(lines, { pins })).toMatchObject({
        verdict: 'tampered',
        problems: [
          { code: 'document-mismatch', message: 'exportedAt is earlier than the last entry' },
        ],
      });
    for (const exportedAt of ['yesterday', '', '2026-02-30T00:00:00.000Z', '2027-01-01'])
      expect(await verifyPinned(part, part[19]!, { exportedAt })).toMatchObject({
        verdict: 'tampered',
        problems: [{ code: 'document-mismatch', message: 'exportedAt is malformed' }],
      });
  });

  it('compares organisation and start of the chain with the expected ones', async () => {
    const pins = [createPin(last)];
    const chainStart = history[0]!.chainHash;
    const lines = createBundleLines(history);
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
    const later = createBundleLines(history.slice(5));
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

  it('cannot tell for an empty chain', async () => {
    expect(await verify(createBundleLines([]))).toMatchObject({
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
    [
      'a verified audit log',
      { success: true, data: { verified: true, totalEntries: 3, lastHash: hash } },
      base,
    ],
    ['an audit log that is broken', { verified: false, totalEntries: 3, lastHash: hash }, null],
    ['a list', [{ sequence: 3, chainHash: hash }], null],
    ['a status of an empty chain', { lastSequence: null, lastChainHash: null }, null],
    ['a hash that is none', { sequence: 3, chainHash: 'abc' }, null],
    ['a sequence that is none', { sequence: 0, chainHash: hash }, null],
  ])('are read from %s', (_name, value, pin) => {
    expect(readPin(value)).toEqual(pin);
  });

  it('are written in short as sequence:chainHash', () => {
    expect(readShortPin(`3:${hash}`)).toEqual(base);
    for (const wrong of [
      `0:${hash}`,
      `03:${hash}`,
      `3:${hash}0`,
      `3:${hash.toUpperCase()}`,
      '3',
      `3.5:${hash}`,
    ])
      expect(readShortPin(wrong), wrong).toBeNull();
  });
});

describe('the submitted decision', () => {
  const chain = new SampleChain();
  const entry = chain.trace({ amount: 5 });
  const body = Buffer.from(JSON.stringify({ traceId: entry.traceId, amount: 5 }));
  const receipt = readPin({
    success: true,
    data: { createdAt: entry.createdAt, hashChain: createReceipt(entry) },
  })!;

  it('is proved by the receipt and the kept body', async () => {
    const options = { pins: [receipt], body };
    expect(await verify(createBundleLines(chain.entries), options)).toMatchObject({
      verdict: 'intact',
      submitted: true,
    });
  });

  it('is disproved for another body', async () => {
    const options = { pins: [receipt], body: Buffer.from('{}') };
    expect(await verify(createBundleLines(chain.entries), options)).toMatchObject({
      verdict: 'tampered',
      submitted: false,
      problems: [{ code: 'submitted-mismatch', sequence: 1 }],
    });
  });

  it('is not decided by a receipt for another trace', async () => {
    const pins = [{ ...receipt, traceId: 'trc_other' }];
    expect(await verify(createBundleLines(chain.entries), { pins })).toMatchObject({
      verdict: 'tampered',
      vouchedUpTo: null,
    });
  });
});

describe('fields', () => {
  it('are shown, partly shown, withheld, not stored or erased', async () => {
    const chain = new SampleChain();
    for (let i = 0; i < 5; i++) chain.trace();
    chain.amend('erasure', 0);
    const entries = disclosed(chain.entries);
    entries[1]!.disclosures = [];
    entries[2]!.disclosures = entries[2]!.disclosures.filter(
      (text) => !text.includes('"currency"'),
    );
    const rows: FieldRow[] = [];
    const report = await verify(createBundleLines(entries), {
      pins: [createPin(entries[5])],
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
  const submitted = texts.find((text) => text.includes('"submitted"'))!;
  const cases: [string, string[]][] = [
    ['not canonical', [...texts.slice(0, -1), texts.at(-1)!.replace(',', ', ')]],
    ['another value', [submitted.replace(/"[0-9a-f]{64}"\]$/, `"${ZERO_HASH}"]`)]],
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
  chain.amend('correction', 0);
  chain.amend('status', 0);
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
    entries[index]!.view = editView(entries[index]!.view, members);
    const sealed = resealEntries(entries, index);
    const report = await verifyPinned(sealed, sealed.at(-1)!);
    expect(report.problems[0]).toMatchObject({
      verdict: 'tampered',
      code: 'reference-mismatch',
      sequence: index + 1,
    });
  });
});

describe('entries that could never have been appended', () => {
  const chain = new SampleChain();
  for (let i = 0; i < 5; i++) chain.trace();
  chain.amend('correction', 0);
  chain.amend('erasure', 0);
  chain.amend('erasure', 0);
  const kept = disclosed(chain.entries);
  const withErasure = (erased: object, entries = kept) => {
    const forged = entries.with(7, {
      ...entries[7]!,
      view: editView(entries[7]!.view, { erased }),
    });
    return resealEntries(forged, 7);
  };

  it.each<[string, { sequence: number; names: string[] }[]]>([
    ['a value that never was', [{ sequence: 1, names: ['conversation'] }]],
    ['a value that is erased already', [{ sequence: 6, names: ['feedback'] }]],
    ['a value of another decision', [{ sequence: 2, names: ['metadata'] }]],
    ['a value of the future', [{ sequence: 5000, names: ['metadata'] }]],
    ['its own values', [{ sequence: 8, names: ['request'] }]],
  ])('the erasure of %s', async (_name, erased) => {
    const entries = withErasure(erased);
    expect(await verifyPinned(kept, kept.at(-1)!)).toMatchObject({ verdict: 'intact' });
    expect(await verifyPinned(entries, entries.at(-1)!)).toMatchObject({
      verdict: 'tampered',
      problems: [{ code: 'erasure-mismatch', sequence: 8 }],
    });
  });

  it('the erasure of a value that is shown, or was never kept', async () => {
    const shown = chain.entries.map((entry) => ({ ...entry }));
    shown[0]!.sealed = new SampleChain().trace().sealed;
    const entries = disclosed(shown);
    expect(await verifyPinned(entries, entries.at(-1)!)).toMatchObject({
      verdict: 'tampered',
      problems: [{ code: 'erasure-mismatch', sequence: 7 }],
    });
    const unkept = new SampleChain();
    for (let i = 0; i < 5; i++) unkept.trace();
    const erasure = unkept.amend('erasure', 4);
    const erased = [{ sequence: 5, names: ['inputContext'] }];
    const forged = resealEntries(
      unkept.entries.with(5, { ...erasure, view: editView(erasure.view, { erased }) }),
      5,
    );
    expect(await verifyPinned(forged, forged.at(-1)!)).toMatchObject({
      verdict: 'tampered',
      problems: [{ code: 'erasure-mismatch', sequence: 6 }],
    });
  });

  it('are not searched for before the document', async () => {
    const later = chain.entries.slice(5);
    expect(await verifyPinned(later, later.at(-1)!)).toMatchObject({ verdict: 'intact' });
  });

  it('more names than usual are distinguished', async () => {
    const many = Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`name${i}`, i]));
    const wide = new SampleChain();
    wide.trace(many);
    wide.amend('erasure', 0);
    expect(await verifyPinned(wide.entries, wide.entries[1]!)).toMatchObject({ verdict: 'intact' });
    wide.amend('erasure', 0);
    for (const name of ['name49', 'name50']) {
      const erased = [{ sequence: 1, names: [name] }];
      const view = editView(wide.entries[2]!.view, { erased });
      const forged = resealEntries(wide.entries.with(2, { ...wide.entries[2]!, view }), 2);
      expect(await verifyPinned(forged, forged[2]!)).toMatchObject({
        verdict: 'tampered',
        problems: [{ code: 'erasure-mismatch', sequence: 3 }],
      });
    }
  });

  it('a decision that is ingested a second time', async () => {
    const { createdAt } = chain.entries.at(-1)!;
    const again = { ...chain.entries[1]!, sequence: 9, createdAt };
    const entries = resealEntries([...chain.entries, again], 8);
    expect(await verifyPinned(entries, entries.at(-1)!)).toMatchObject({
      verdict: 'tampered',
      problems: [
        {
          code: 'reference-mismatch',
          sequence: 9,
          message: 'the decision is ingested a second time',
        },
      ],
    });
  });
});

describe('documents that it cannot read', () => {
  const history = sampleHistory(3, 6);
  const lines = createBundleLines(history);
  const pins = [createPin(history[5])];
  const withLine = (index: number, change: (line: string) => string) =>
    lines.map((line, i) => (i === index ? change(line) : line));
  const withView = (members: object) => {
    const entries = history.map((entry) => ({ ...entry }));
    entries[2]!.view = editView(entries[2]!.view, members);
    return resealEntries(entries, 2);
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
