// Time stamps in the stand-alone verifier: what is wrong with one is said; the tokens are made by OpenSSL.
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readRoots, readStamp } from '@assay/verifier';
import { createTimeStampRequest } from '../../../../src/domain/log/time-stamps/time-stamp.ts';
import { hasOpenssl, makeTsaFolder, startTsa, type TestTsa, type TsaMode } from './tsa-server.ts';

const TEXT = 'log.example.com/heads\n12\nabc=\n';
const OTHER = 'log.example.com/heads\n13\nabd=\n';

describe.skipIf(!hasOpenssl)('a time stamp', () => {
  let folder: string;
  let tsa: TestTsa;
  beforeAll(async () => {
    folder = await makeTsaFolder();
    tsa = await startTsa(folder);
  });
  afterAll(async () => {
    await tsa.stop();
    rmSync(folder, { recursive: true });
  });
  const readRoot = (name = 'ca') => readRoots(readFileSync(join(folder, `${name}.pem`), 'utf8'));

  async function askFor(mode: TsaMode, text = TEXT): Promise<Uint8Array> {
    tsa.mode = mode;
    const body = Uint8Array.from(createTimeStampRequest({ text, nonce: 2n ** 62n }));
    const answer = await fetch(tsa.url, { method: 'POST', body });
    return new Uint8Array(await answer.arrayBuffer());
  }

  test('of a checkpoint names its authority and its time', async () => {
    const before = Date.now();
    const stamp = await readStamp(await askFor('up'), { roots: readRoot(), texts: [OTHER, TEXT] });
    expect(stamp).toMatchObject({ text: TEXT, issuer: 'CN=TSA signer' });
    // An authority counts whole seconds.
    expect(stamp.at.getTime()).toBeGreaterThanOrEqual(before - 1000);
  });

  test.for([
    ['other text', /none of the checkpoints given: its imprint is [0-9a-f]{16}…$/],
    ['stranger', /TSA stranger, issued by CN=Root strange, leads to none of the root certificates/],
    ['expired', /TSA expired had not begun or had expired.*2020-01-01.*2021-01-01/],
    ['other purpose', /not one for time stamps alone/],
    ['altered', /does not verify|cannot be verified/],
    ['garbage', /cannot be verified|no token/],
    ['nested', /cannot be verified|no token/],
    ['refusing', /no token|cannot be verified/],
  ] as const)('that is wrong is refused: %s', async ([mode, message]) => {
    const bytes = await askFor(mode);
    await expect(readStamp(bytes, { roots: readRoot(), texts: [TEXT] })).rejects.toThrow(message);
  });

  test('of another checkpoint names that one', async () => {
    const trust = { roots: readRoot(), texts: [TEXT], others: [OTHER] };
    await expect(readStamp(await askFor('up', OTHER), trust)).rejects.toThrow(
      'another checkpoint, that of log.example.com/heads with 13 entries',
    );
  });

  test('under another root is refused, and so are roots that are none', async () => {
    const trust = { roots: readRoot('strange'), texts: [TEXT] };
    await expect(readStamp(await askFor('up'), trust)).rejects.toThrow(/none of the root/);
    expect(() => readRoots('no certificate')).toThrow('no certificate in PEM');
    const damaged = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----';
    expect(() => readRoots(damaged)).toThrow('cannot be read');
  });
});
