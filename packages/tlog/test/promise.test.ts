// A promise covers every entry of its batch and no other; its text is read as it was written.
import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { BatchTree, formatPromise, isPromised, parsePromise } from '../src/promise.ts';

const entries = Array.from({ length: 64 }, (_, n) => ({
  sequence: 1000 + n,
  chainHash: createHash('sha256').update(`entry ${n}`).digest('hex'),
}));

it('each entry of a batch of any size is promised, at its sequence and with its hash alone', () => {
  for (const size of [1, 2, 3, 5, 8, 33, 63, 64]) {
    const batch = entries.slice(0, size);
    const tree = new BatchTree(batch);
    const { root } = tree;
    for (const [index, entry] of batch.entries()) {
      const path = tree.listPath(index);
      expect(path.length).toBeLessThanOrEqual(6);
      expect(isPromised(entry, { index, path }, root)).toBe(true);
      const { sequence, chainHash } = entry;
      expect(isPromised({ sequence: sequence + 1, chainHash }, { index, path }, root)).toBe(false);
      const other = chainHash.replace(/./, (digit) => (digit === '0' ? '1' : '0'));
      expect(isPromised({ sequence, chainHash: other }, { index, path }, root)).toBe(false);
      expect(isPromised(entry, { index, path: [...path, 'x'] }, root)).toBe(false);
    }
  }
});

it('a promise is read as it was written, to the second', () => {
  const before = new Date('2026-11-25T14:15:53.999Z');
  const terms = { origin: 'log.example/log/1', before, root: Buffer.alloc(32, 5) };
  const text = formatPromise(terms);
  expect(text).toBe(
    `assay-promise/v1\nlog.example/log/1\nbefore 2026-11-25T14:15:53Z\n${terms.root.toString('base64')}\n`,
  );
  expect(parsePromise(text)).toEqual({ ...terms, before: new Date('2026-11-25T14:15:53Z') });
  for (const other of [`${text}more\n`, text.trimEnd(), text.replace('v1', 'v2'), 'x', ''])
    expect(parsePromise(other)).toBeNull();
  expect(parsePromise(text.replace('11-25', '13-25'))).toBeNull();
});
