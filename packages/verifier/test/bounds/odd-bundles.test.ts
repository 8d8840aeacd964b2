// Odd values anywhere in a bundle: a finding each time, never a crash, and never long work for a small file.
import { performance } from 'node:perf_hooks';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, test } from 'vitest';
import {
  computeChainHash,
  computePayloadDigest,
  ZERO_HASH,
} from '../../../../src/domain/record/chain.ts';
import { isReadableCopy, type Manifest } from '../../src/archive/manifest.ts';
import { expandBytes } from '../../src/system/files.ts';
import { toPlainLine } from '../../src/text.ts';
import { verifyBytes } from '../../src/verify-bytes.ts';
import {
  createBundleLines,
  disclosed,
  ORGANIZATION,
  type Sample,
  sampleHistory,
} from '../../../../test/domain/record/samples/sample-chain.ts';
import { createPin, editView, verify } from '../verification.ts';

const history = disclosed(sampleHistory(3, 12));
const lines = createBundleLines(history);
const pins = [createPin(history.at(-1))];

/** As JSON, since some are no values of JavaScript. */
const ODD = [
  ...['null', 'true', '"x"', '""', '[]', '{}', '[null]', '-1', '0', '0.5', '1e3', '-0'],
  ...['9007199254740993', '1e400', '-1e400', '1e-400', '"1"', '"\\u0000"', '"\\ud800"'],
  ...['"\u2028"', '[[[[[[[[]]]]]]]]', '{"a":1,"a":2}', '{"__proto__":1}', '{"toString":1}'],
  ...['"constructor"', `"${'x'.repeat(100_000)}"`, `${'['.repeat(5000)}${']'.repeat(5000)}`],
];

/** Replaces the value of a member in the text of a line. */
function replaceMember(line: string, name: string, value: string): string | null {
  const { text, rest } = splitLine(line);
  const members = JSON.parse(text) as Record<string, unknown>;
  if (!(name in members)) return null;
  const before = JSON.stringify(members[name]);
  const at = text.indexOf(`"${name}":${before}`) + name.length + 3;
  return text.slice(0, at) + value + text.slice(at + before.length) + rest;
}

/** A line as JSON, and what is cut off behind it. */
function splitLine(line: string): { text: string; rest: string } {
  return line.endsWith(',') ? { text: line.slice(0, -1), rest: ',' } : { text: line, rest: '' };
}

describe('an odd value', () => {
  const members = Object.keys(JSON.parse(splitLine(lines[3]!).text) as object);
  test.each(members.filter((name) => name !== 'id'))('in %s of an entry', async (name) => {
    for (const value of ODD) {
      const line = replaceMember(lines[3]!, name, value)!;
      // Without disclosures the values are withheld.
      if (line === lines[3] || (name === 'disclosures' && value === '[]')) continue;
      const { verdict, problems } = await verify(lines.with(3, line), { pins });
      expect(verdict, `${name} ${value.slice(0, 40)}`).not.toBe('intact');
      expect(problems[0]?.message).toBeTruthy();
    }
  });

  const ofHeader = Object.keys(JSON.parse(`${lines[0]!}]}`) as object);
  test.each(ofHeader.filter((name) => name !== 'entries'))('in %s of the header', async (name) => {
    for (const value of ODD) {
      const line = replaceMember(`${lines[0]!}]}`, name, value)!.slice(0, -2);
      const { verdict } = await verify(lines.with(0, line), { pins });
      expect(verdict, `${name} ${value.slice(0, 40)}`).not.toBe('intact');
    }
  });

  test.each(['count', 'chainHash'])('in %s of the footer', async (name) => {
    for (const value of ODD) {
      const line = lines.at(-1)!.replace(new RegExp(`"${name}":[^,}]*`), `"${name}":${value}`);
      const { verdict } = await verify(lines.with(-1, line), { pins });
      expect(verdict, `${name} ${value.slice(0, 40)}`).not.toBe('intact');
    }
  });
});

/** Seals an entry with another view, at the first place. */
function sealView(change: object): { entry: Sample; lines: string[] } {
  const [first] = sampleHistory(3, 1);
  const view = editView(first!.view, change);
  const payloadDigest = computePayloadDigest(view);
  const link = { prevHash: ZERO_HASH, payloadDigest, sequence: 1, createdAt: first!.createdAt };
  const entry = { ...first!, ...link, view, chainHash: computeChainHash(link), disclosures: [] };
  return { entry, lines: createBundleLines([entry]) };
}

it.each<[string, object]>([
  ['a name that is not committed to', { unstored: ['zzz'] }],
  ['names twice', { unstored: ['submitted', 'submitted'] }],
  ['no list', { unstored: 'submitted' }],
  ['a number', { unstored: [1] }],
])('what was not stored has to be what was committed to: %s', async (_name, change) => {
  const sealed = sealView(change);
  const report = await verify(sealed.lines, { pins: [createPin(sealed.entry)] });
  expect(report).toMatchObject({ verdict: 'cannot tell', problems: [{ code: 'view-unknown' }] });
});

it('more commitments than any entry has are not compared', { tags: ['long'] }, async () => {
  const names = Array.from({ length: 50_000 }, (_, at) => `n${String(at).padStart(6, '0')}`);
  const commitments = Object.fromEntries(names.map((name) => [name, '0'.repeat(64)]));
  const sealed = sealView({ commitments, unstored: names });
  const began = performance.now();
  expect((await verify(sealed.lines)).problems[0]?.message).toContain('commitments');
  expect(performance.now() - began).toBeLessThan(4000);
});

it('a recipe that is not the known one is named, damaged values behind it are not', async () => {
  const verifyRecipe = (change: (header: string) => string) =>
    verify(lines.with(0, change(lines[0]!)), { pins });
  const unknown = { verdict: 'cannot tell', problems: [{ code: 'recipe-unknown' }] };
  expect(
    await verifyRecipe((header) => header.replace('jq (1.6 or newer)', 'nothing')),
  ).toMatchObject(unknown);
  expect(
    await verifyRecipe((header) => header.replace(/"recipe":\[.*\],/, '"recipe":[],')),
  ).toMatchObject(unknown);
  const damaged = createBundleLines(history, { remarks: ['Damaged: 2 rationale'] });
  expect((await verify(damaged, { pins })).verdict).toBe('intact');
  const advice = createBundleLines(history, { remarks: ['Pins: none is needed.'] });
  expect(await verify(advice, { pins })).toMatchObject(unknown);
});

it('what no hash covers is said', async () => {
  expect((await verify(lines, { pins })).notCovered).toEqual(['exportedAt', 'recipe', 'id']);
  const head = { sequence: 99, chainHash: 'ab'.repeat(32) };
  const beyond = await verify(createBundleLines(history, { head }), { pins });
  expect(beyond).toMatchObject({
    verdict: 'intact',
    notCovered: ['exportedAt', 'recipe', 'id', 'head'],
  });
  for (const chainHash of ['', 'x', 'AB'.repeat(32)])
    expect(
      (await verify(createBundleLines(history, { head: { sequence: 99, chainHash } }), { pins }))
        .verdict,
    ).toBe('cannot tell');
});

/** Verifies the bytes of a file, as the command does. */
const verifyGzip = (text: string) => {
  const bytes = gzipSync(text);
  return verifyBytes(expandBytes(Readable.from([bytes]) as AsyncIterable<Buffer>), {
    pins,
    keys: [],
  });
};

it.each<[string, () => string]>([
  ['five million empty lines', () => `${lines[0]!}\n${'\n'.repeat(5_000_000)}`],
  ['empty lines before the header', () => '\n'.repeat(5_000_000)],
  ['a million lines of nothing', () => `${lines[0]!}\n${'{},\n'.repeat(1_000_000)}`],
  ['a million times the same entry', () => `${lines[0]!}\n${`${lines[1]!}\n`.repeat(50_000)}`],
  ['a line without an end', () => `${lines[0]!}\n${' '.repeat(40_000_000)}`],
  ['a line of brackets', () => `${lines[0]!}\n${'['.repeat(8_000_000)}\n`],
  ['a header of brackets', () => `{"algorithm":${'['.repeat(8_000_000)}`],
  [
    'a deep header',
    () =>
      lines[0]!.replace(
        /"algorithm":\{[^}]*\}/,
        `"algorithm":${'['.repeat(100_000)}${']'.repeat(100_000)}`,
      ),
  ],
  [
    'a deep footer',
    () =>
      `${lines[0]!}\n],"checkpoints":[],"end":{"count":${'['.repeat(100_000)}${']'.repeat(100_000)},"chainHash":null}}`,
  ],
  ['many lines of brackets', () => `${lines[0]!}\n${`${'['.repeat(4_000_000)}\n`.repeat(40)}`],
  ['nothing', () => ''],
])('%s are read to an end at once', { tags: ['long'], timeout: 30_000 }, async (_name, write) => {
  const text = write();
  const began = performance.now();
  const report = await verifyGzip(text);
  expect(performance.now() - began).toBeLessThan(8000);
  expect(report.verdict).not.toBe('intact');
  expect(report.problems[0]?.message).not.toContain('call stack');
});

it('a text of a file is shown in one line, as it is', () => {
  const forged = `x\nINTACT\u001b[2J\u202e\ud800\u2028${ORGANIZATION}`;
  expect(toPlainLine(forged)).toBe(
    `x\\u{a}INTACT\\u{1b}[2J\\u{202e}\\u{d800}\\u{2028}${ORGANIZATION}`,
  );
  expect(toPlainLine('Käse – 5 €, 日本')).toBe('Käse – 5 €, 日本');
});

it('a readable copy with a member twice is another one', () => {
  const text = '{"a":"x  y","b":[1,2]}';
  const isCopy = (json: string) => isReadableCopy(json, { text } as Manifest);
  expect(isCopy(`${JSON.stringify(JSON.parse(text), null, 2)}\n`)).toBe(true);
  expect(isCopy('{"a":"forged","b":[1,2],"a":"x  y"}')).toBe(false);
  expect(isCopy('{"a":"x y","b":[1,2]}')).toBe(false);
});
