// Signatures from DER to the form of a JWS: a table of edge cases, and a library that reads both.
// @module-tag varied
import { generateKeyPairSync, sign, verify } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { convertDerSignature } from '../../../src/domain/provenance/der-signature.ts';
import { chooseRuns } from '../../setup/runs.ts';

const hex = (text: string): Buffer => Buffer.from(text.replaceAll(' ', ''), 'hex');
const [short, high] = ['01', `00 ${'ff'.repeat(32)}`];
const half = (text: string): string => text.padStart(64, '0');

test.for([
  ['small numbers', '30 06 0201 01 0201 02', half('01') + half('02')],
  [
    'a number with its highest bit',
    `30 26 0221 ${high} 0201 ${short}`,
    'ff'.repeat(32) + half('01'),
  ],
  ['a leading zero', '30 07 0202 0080 0201 01', half('80') + half('01')],
])('%s', ([, der, expected]) => {
  expect(Buffer.from(convertDerSignature(hex(der ?? ''))).toString('hex')).toBe(expected);
});

test.for([
  ['nothing', ''],
  ['another tag', '31 06 0201 01 0201 02'],
  ['another tag within', '30 06 0301 01 0201 02'],
  ['one number', '30 03 0201 01'],
  ['three numbers', '30 09 0201 01 0201 02 0201 03'],
  ['bytes behind', '30 06 0201 01 0201 02 00'],
  ['a length beyond the end', '30 06 0201 01 0205 02'],
  ['a long form of the length', '30 81 06 0201 01 0201 02'],
  ['a negative number', '30 06 0201 80 0201 02'],
  ['a superfluous zero', '30 07 0202 0001 0201 02'],
  ['a zero', '30 06 0201 00 0201 02'],
  ['an empty number', '30 05 0200 0201 02'],
  ['a number of 33 bytes', `30 26 0221 01${'00'.repeat(32)} 0201 01`],
])('refuses %s', ([, der]) => {
  expect(() => convertDerSignature(hex(der ?? ''))).toThrow(TypeError);
});

test('a signature of one form verifies in the other', () => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
      const converted = convertDerSignature(sign('sha256', bytes, privateKey));
      const key = { key: publicKey, dsaEncoding: 'ieee-p1363' } as const;
      expect(verify('sha256', bytes, key, converted)).toBe(true);
    }),
    { numRuns: chooseRuns(100, 1000) },
  );
});
