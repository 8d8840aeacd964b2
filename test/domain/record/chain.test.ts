// The hashes of the chain against its vectors and against sha256sum.
import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import {
  computeChainHash,
  formatChainTime,
  computePayloadDigest,
  sha256Hex,
} from '../../../src/domain/record/chain.ts';
import type { Link } from '../../../src/domain/record/chain.ts';
import { readVectors } from './vectors.ts';

const links = readVectors<(Link & { chainHash: string })[]>('chain.json');

describe('chain', () => {
  it.each(links)('seals sequence $sequence after $prevHash', ({ chainHash: expected, ...link }) => {
    expect(computeChainHash(link)).toBe(expected);
    const { prevHash, payloadDigest: digest, sequence, createdAt } = link;
    const output = execFileSync('sha256sum', {
      input: `${prevHash}${digest}${sequence}${createdAt}`,
    }).toString();
    expect(output.slice(0, 64)).toBe(expected);
  });

  it('digests the UTF-8 bytes', () => {
    expect(sha256Hex('é')).toBe(sha256Hex(Buffer.from([0xc3, 0xa9])));
    expect(computePayloadDigest('abc')).toBe(
      'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    );
  });

  it('writes times with 24 bytes or not at all', () => {
    expect(formatChainTime(new Date(0))).toBe('1970-01-01T00:00:00.000Z');
    expect(() => formatChainTime(new Date(Date.UTC(10_000, 0)))).toThrow(RangeError);
    expect(() => formatChainTime(new Date(NaN))).toThrow(RangeError);
  });
});
