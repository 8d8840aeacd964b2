// The lines of a bundle in chunks of any size.
import { expect, test } from 'vitest';
import { readLines } from '../src/system/lines.ts';

const LONGEST = 16 * 1024 * 1024;

async function* pieces(bytes: Buffer, length: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += length)
    yield await Promise.resolve(bytes.subarray(at, at + length));
}

async function linesIn(bytes: Buffer, length = bytes.length): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of readLines(pieces(bytes, length))) lines.push(line);
  return lines;
}

test.each<[string, string[]]>([
  ['one\ntwo\nthree\n', ['one', 'two', 'three']],
  ['one\ntwo\nthree', ['one', 'two', 'three']],
  ['\n\na\n\n', ['', '', 'a', '']],
  ['é€𝟘\n𝟘€é\n', ['é€𝟘', '𝟘€é']],
  ['a\r\nb', ['a\r', 'b']],
  ['', []],
])('of %j', async (text, lines) => {
  for (let length = 1; length <= text.length + 1; length++)
    expect(await linesIn(Buffer.from(text), length), String(length)).toEqual(lines);
});

test('that are no UTF-8 are refused', async () => {
  await expect(linesIn(Buffer.from([0x61, 0xff, 0x0a]))).rejects.toThrow();
});

test('that are longer than any of a bundle are refused, and each line is measured by itself', async () => {
  const line = Buffer.alloc(LONGEST, 'x');
  const piece = LONGEST / 4;
  const two = Buffer.concat([line, Buffer.from('\n'), line.subarray(0, LONGEST / 2)]);
  expect((await linesIn(two, piece)).map(({ length }) => length)).toEqual([LONGEST, LONGEST / 2]);
  await expect(linesIn(Buffer.concat([line, Buffer.from('x')]), piece)).rejects.toThrow(
    'a line is longer',
  );
});
