// Lines of a bundle in another form than the server's are refused, so that all programs read a bundle alike.
import { describe, expect, test } from 'vitest';
import { readEntry, readFooter, readHeader } from '../src/layout.ts';
import { Unreadable } from '../src/text.ts';
import {
  createBundleLines,
  disclosed,
  SampleChain,
} from '../../../test/domain/record/samples/sample-chain.ts';

type Members = Record<string, unknown>;

const chain = new SampleChain();
chain.trace({ outputDecision: { action: 'act' } });
const lines = createBundleLines(disclosed(chain.entries));
const [header, entry, footer] = [lines[0]!, lines[1]!, lines.at(-1)!];
const headerMembers = JSON.parse(`${header}]}`) as Members;
const entryMembers = JSON.parse(entry) as Members;

function headerLine({ entries: _, ...members }: Members): string {
  return `${JSON.stringify(members).slice(0, -1)},"entries":[`;
}
const changed = (members: Members, name: string, value: unknown): Members => ({
  ...members,
  [name]: value,
});

test('lines of the server are read and are the same when written again', () => {
  expect(headerLine(headerMembers)).toBe(header);
  expect(readHeader(header)).toMatchObject({ chain: 'ledger', count: 1 });
  expect(JSON.stringify(entryMembers)).toBe(entry);
  expect(readEntry(entry)).toMatchObject({ sequence: 1, hasComma: false });
  expect(readEntry(`${entry},`).hasComma).toBe(true);
  expect(readFooter(footer).count).toBe(1);
});

describe('a header', () => {
  const wrong: [string, unknown[]][] = [
    ['format', ['another', 1, null]],
    ['version', [2, '1', null]],
    ['chain', ['other', null, 1]],
    ['algorithm', [null, {}, { hash: 'sha1', canonicalization: 'rfc8785' }]],
    ['organizationId', [1, null, {}]],
    ['exportedAt', [1, null, []]],
    ['range', [null, 1, [], {}, { fromSequence: '1', toSequence: 1 }]],
    [
      'range',
      [
        { fromSequence: 1, toSequence: '1' },
        { toSequence: 1, fromSequence: 1 },
      ],
    ],
    ['range', [{ fromSequence: 1, toSequence: 1, more: 1 }]],
    ['prevHash', [1, {}, true]],
    ['head', [1, 'x', [], {}, { sequence: '1', chainHash: 'x' }, { sequence: 1, chainHash: 1 }]],
    ['head', [{ sequence: 1 }, { chainHash: 'x', sequence: 1 }]],
    ['count', ['1', null, []]],
    ['recipe', ['x', null, [1], {}]],
  ];
  test.each(wrong)('with another %s is refused', (name, values) => {
    for (const value of [...values, undefined])
      expect(() => readHeader(headerLine(changed(headerMembers, name, value)))).toThrow(Unreadable);
  });

  test('may have no range and no head', () => {
    const nothing = { range: { fromSequence: null, toSequence: null }, prevHash: null, head: null };
    const read = readHeader(headerLine({ ...headerMembers, ...nothing }));
    expect(read).toMatchObject(nothing);
  });

  test('with one member more, another order or blanks is refused', () => {
    const { recipe, count, ...others } = headerMembers;
    for (const line of [
      headerLine({ ...headerMembers, more: 1 }),
      headerLine({ count, recipe, ...others }),
      header.replace('"count":1', '"count": 1'),
      header.replace('"count":1', '"count":1.0'),
      header.replace('"count":1', '"count":2,"count":1'),
      header.slice(1),
      '[',
    ])
      expect(() => readHeader(line), line.slice(0, 60)).toThrow(Unreadable);
  });
});

describe('an entry', () => {
  const wrong: [string, unknown[]][] = [
    ['id', [1, null]],
    ['organizationId', [1, null]],
    ['traceId', [1, {}]],
    ['sequence', ['1', null]],
    ['prevHash', [1, null]],
    ['payloadDigest', [1, null]],
    ['chainHash', [1, null]],
    ['createdAt', [1, null]],
    ['view', [1, 'x', []]],
    ['disclosures', [null, 'x', [1], {}]],
  ];
  test.each(wrong)('with another %s is refused', (name, values) => {
    for (const value of [...values, undefined])
      expect(() => readEntry(JSON.stringify(changed(entryMembers, name, value)))).toThrow(
        Unreadable,
      );
  });

  test('with one member more, another order, blanks or a doubled member is refused', () => {
    const { id, ...others } = entryMembers;
    for (const line of [
      JSON.stringify({ ...entryMembers, more: 1 }),
      JSON.stringify({ ...others, id }),
      entry.replace('"sequence":1', '"sequence": 1'),
      entry.replace('"sequence":1', '"sequence":2,"sequence":1'),
      `${entry},,`,
      `[${entry}]`,
    ])
      expect(() => readEntry(line), line.slice(0, 60)).toThrow(Unreadable);
  });
});

test('a footer of another form is refused', () => {
  for (const line of [
    footer.replace('"count":1', '"count":"1"'),
    footer.replace('"checkpoints":[]', '"checkpoints":[1]'),
    footer.replace(/"chainHash":"[^"]*"/, '"chainHash":1'),
    footer.replace('"end":{', '"end":{"more":1,'),
    footer.replace(/"end":.*}}$/, '"end":1}'),
    `${footer} `,
  ])
    expect(() => readFooter(line), line).toThrow(Unreadable);
});
