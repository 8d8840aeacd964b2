// What every custodian keeps to, whatever keeps its keys.
import { createPublicKey, verify } from 'node:crypto';
import { expect, test } from 'vitest';
import { formatDestruction } from '../../../src/domain/erasure/destruction.ts';
import type { Custodian } from '../../../src/platform/custodian/custodian.ts';

const SPKI = Buffer.from('302a300506032b6570032100', 'hex');

/** @param open opens the custodian again, as another instance does */
export function checkCustodian(open: () => Custodian): void {
  test('a key opens for every instance until its epoch is destroyed, and then for none', async () => {
    const first = await open().makeEpoch(1);
    const second = await open().makeEpoch(2);
    expect([first.key.length, second.key.length]).toEqual([32, 32]);
    expect(second.key.equals(first.key)).toBe(false);
    expect((await open().openEpoch(1, first.ticket))?.equals(first.key)).toBe(true);
    expect((await open().openEpoch(2, second.ticket))?.equals(second.key)).toBe(true);
    for (let repeated = 0; repeated < 2; repeated++) {
      await open().destroyBefore(2, second.ticket);
      expect(await open().openEpoch(1, first.ticket)).toBeNull();
      expect((await open().openEpoch(2, second.ticket))?.equals(second.key)).toBe(true);
    }
    const third = await open().makeEpoch(3);
    expect((await open().openEpoch(3, third.ticket))?.equals(third.key)).toBe(true);
    expect((await open().openEpoch(2, second.ticket))?.equals(second.key)).toBe(true);
  });

  test('it signs statements with one Ed25519 key', async () => {
    const [one, other] = [await open().loadSigner(), await open().loadSigner()];
    expect(one.publicKey.equals(other.publicKey)).toBe(true);
    const key = createPublicKey({
      key: Buffer.concat([SPKI, one.publicKey]),
      format: 'der',
      type: 'spki',
    });
    const facts = { origin: 'example.com/log/heads', epoch: 1, destroyedAt: new Date() };
    const text = Buffer.from(formatDestruction({ ...facts, rowsDigest: Buffer.alloc(32, 7) }));
    expect(verify(null, text, key, await other.sign(text))).toBe(true);
    expect(verify(null, Buffer.from('another\n'), key, await one.sign(text))).toBe(false);
  });
}
