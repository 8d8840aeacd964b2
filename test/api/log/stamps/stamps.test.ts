// Time stamps (RFC 3161) of a real authority, checked by OpenSSL; and answers of hostile ones, none of which is kept.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { formatVerifierKey, parseNote } from '@assay/tlog';
import { useHarness, useOwner } from '../../../setup/fixtures.ts';
import { assertOk, createOwner } from '../../../setup/personas.ts';
import { toOutcome } from '../../../setup/start-app.ts';
import { runVerifier } from '../run-verifier.ts';
import { holdJobs, postDecisions, readLogKey, SEALED_AT_ONCE, sealAll } from '../log-steps.ts';
import { hasOpenssl, makeTsaFolder, startTsa, type TestTsa, type TsaMode } from './tsa-server.ts';
import { stampDue } from '../../../../src/evidence/log/stamps/log-stamps.service.ts';

describe.skipIf(!hasOpenssl)('time stamps', () => {
  const folder = mkdtempSync(join(tmpdir(), 'assay-stamps-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  let authorities: string;
  let hostile: TestTsa;
  let tsa: TestTsa;
  beforeAll(async () => {
    authorities = await makeTsaFolder();
    [hostile, tsa] = [await startTsa(authorities), await startTsa(authorities)];
  });
  afterAll(async () => {
    await Promise.all([hostile.stop(), tsa.stop()]);
    rmSync(authorities, { recursive: true });
  });
  let now = Date.now();
  const harness = useHarness(
    () => ({
      ...SEALED_AT_ONCE,
      ASSAY_TSA_URL: `${hostile.url},${tsa.url}`,
      ASSAY_TSA_CA: tsa.ca,
      ASSAY_STAMP_SECONDS: '0',
      ASSAY_OUTBOUND_ALLOW: '127.0.0.1',
    }),
    { clock: { now: () => new Date(now) } },
  );
  const ada = useOwner(harness);
  /** Heads are sealed and stamped only when a test says so. */
  beforeAll(() => holdJobs(harness, 'log.seal', 'log.stamp'));
  const stampHeads = () => stampDue(harness.app.instance.platform);
  const readChain = (path: string) =>
    harness.app.call('GET', `/api/v1/hash-chain${path}`, { token: ada.token });
  const readAnchor = async () => assertOk(await readChain('/anchors?limit=1')).body.data[0];
  const growChain = async () => {
    const [answer] = await postDecisions(harness.app, ada, 1);
    await sealAll(harness.app);
    return answer!.body.data.traceId as string;
  };
  const saveFile = (name: string, content: string | Buffer) => {
    const path = join(folder, name);
    writeFileSync(path, content);
    return path;
  };

  it('nothing is stamped before there is a head; an anchor shows no stamp until one covers it', async () => {
    hostile.mode = 'down';
    expect(await stampHeads()).toBe(0);
    const traceId = await growChain();
    const { anchorId, eidasTimestamp } = await readAnchor();
    expect(eidasTimestamp).toBeNull();
    expect(toOutcome(await readChain(`/anchors/${anchorId}/stamp`))).toEqual([404, 'NOT_FOUND']);
    const stamped = `/anchors/${anchorId}/tlog-proof?head=stamped`;
    expect(toOutcome(await readChain(stamped))).toEqual([404, 'NOT_FOUND']);

    expect(await stampHeads()).toBe(1);
    const shown = (await readAnchor()).eidasTimestamp;
    expect(shown).toMatchObject({
      issuer: 'CN=TSA signer',
      serial: expect.stringMatching(/^[0-9a-f]+$/),
    });
    expect(Math.abs(Date.parse(shown.issuedAt) - Date.now())).toBeLessThan(60_000);
    const { entry } = assertOk(await readChain(`/entry/${traceId}`)).body.data;
    expect(entry.eidasTimestamp).toEqual(shown);
    expect(
      assertOk(await readChain('/entries?limit=1')).body.data.entries[0].eidasTimestamp,
    ).toEqual(shown);
  });

  it('OpenSSL verifies the stamp of the checkpoint that the proof is under', async () => {
    const { anchorId } = await readAnchor();
    const reply = await readChain(`/anchors/${anchorId}/stamp`);
    expect(reply.headers.get('content-type')).toBe('application/timestamp-reply');
    const proof = assertOk(await readChain(`/anchors/${anchorId}/tlog-proof?head=stamped`)).text;
    const { text } = parseNote(proof.slice(proof.indexOf('\n\n') + 2))!;
    const { eidasTimestamp } = await readAnchor();
    const token = saveFile('stamp.der', Buffer.from(eidasTimestamp.value, 'base64'));
    const verifyStamp = (data: string, ...input: string[]) =>
      spawnSync('openssl', ['ts', '-verify', '-data', data, ...input, '-CAfile', tsa.ca]).status;
    const checkpoint = saveFile('checkpoint', text);
    expect(verifyStamp(checkpoint, '-in', token, '-token_in')).toBe(0);
    expect(verifyStamp(saveFile('other', `${text} `), '-in', token, '-token_in')).toBe(1);
    const answer = await fetch(`${harness.app.url}/api/v1/hash-chain/anchors/${anchorId}/stamp`, {
      headers: { authorization: `Bearer ${ada.token}` },
    });
    const file = saveFile('stamp.tsr', Buffer.from(await answer.arrayBuffer()));
    expect(verifyStamp(checkpoint, '-in', file)).toBe(0);
    const shown = execFileSync('openssl', ['ts', '-reply', '-in', file, '-text']).toString();
    expect(shown).toContain('Status: Granted.');
  });

  it('the stand-alone verifier names the stamp, and refuses one of another checkpoint or root', async () => {
    const { anchorId, origin } = await readAnchor();
    const bundle = saveFile('bundle.json', (await readChain('/bundle?fromSequence=1')).text);
    const at = `/anchors/${anchorId}/tlog-proof`;
    const proof = saveFile('entry.proof', (await readChain(`${at}?sequence=1`)).text);
    const heads = saveFile('heads.proof', (await readChain(`${at}?head=stamped`)).text);
    const { body } = assertOk(await harness.app.call('GET', '/.well-known/assay-log'));
    const logKey = formatVerifierKey(await readLogKey(harness.app, origin));
    const stamped = ['--stamp', join(folder, 'stamp.tsr'), '--stamp-ca'];
    const args = [bundle, '--proof', proof, '--log', logKey, '--log', body.heads[0]];
    const known = await runVerifier(...args, '--proof', heads, ...stamped, tsa.ca);
    expect(known.output).toContain('stamped by CN=TSA signer at ');
    expect(known.status).toBe(0);
    const elsewhere = await runVerifier(...args, ...stamped, tsa.ca);
    expect(elsewhere).toMatchObject({
      status: 2,
      output: expect.stringContaining('none of the'),
    });
    const strange = join(authorities, 'strange.pem');
    const unknown = await runVerifier(...args, '--proof', heads, ...stamped, strange);
    expect(unknown).toMatchObject({ status: 2, output: expect.stringContaining('certificate') });
  });

  it('a later anchor waits for a later stamp, and other organisations see their own anchors only', async () => {
    await growChain();
    expect((await readAnchor()).eidasTimestamp).toBeNull();
    const { anchorId } = await readAnchor();
    const bob = await createOwner(harness.app, 'Bob');
    const path = `/api/v1/hash-chain/anchors/${anchorId}/stamp`;
    expect(toOutcome(await harness.app.call('GET', path, { token: bob.token }))).toEqual([
      404,
      'NOT_FOUND',
    ]);
    expect(await stampHeads()).toBe(1);
    const anchors = assertOk(await readChain('/anchors')).body.data;
    const serials = anchors.map(
      (anchor: { eidasTimestamp: { serial: string } }) => anchor.eidasTimestamp.serial,
    );
    expect(new Set(serials).size).toBe(2);
    const requests = tsa.requests;
    expect(await stampHeads()).toBe(0);
    expect(tsa.requests).toBe(requests);
  });

  it.each<[TsaMode, string]>([
    ['huge', 'larger than'],
    ['garbage', 'not a response'],
    ['nested', 'not a response'],
    ['refusing', 'refused'],
    ['other nonce', 'nonce'],
    ['other text', 'another text'],
    ['altered', 'verif'],
    ['expired', 'valid'],
    ['other purpose', 'alone'],
    ['no name', 'name its certificate'],
    ['circle', 'none of the root'],
    ['stranger', 'certificate'],
  ])(
    '%s: the answer is refused, and the next authority is asked',
    { tags: ['long'] },
    async (mode, why) => {
      hostile.mode = mode;
      await growChain();
      const [asked, answered] = [hostile.requests, tsa.requests];
      const said = harness.app.logged.length;
      expect(await stampHeads()).toBe(1);
      expect([hostile.requests, tsa.requests]).toEqual([asked + 1, answered + 1]);
      expect(harness.app.logged.slice(said).join('')).toContain(why);
      expect((await readAnchor()).eidasTimestamp.issuer).toBe('CN=TSA signer');
    },
  );

  it.each<TsaMode>(['silent', 'trickling'])(
    '%s: an authority that does not finish delays nothing but its stamp',
    { tags: ['long'] },
    async (mode) => {
      hostile.mode = mode;
      await growChain();
      const asked = hostile.requests;
      const stamping = stampHeads();
      await expect.poll(() => hostile.requests).toBe(asked + 1);
      // Decisions, anchors and reads go on while it is waited for.
      await growChain();
      const { treeSize, eidasTimestamp } = await readAnchor();
      expect([treeSize > 1, eidasTimestamp]).toEqual([true, null]);
      hostile.hangUp();
      expect(await stamping).toBe(1);
      hostile.mode = 'down';
      expect(await stampHeads()).toBe(1);
      expect((await readAnchor()).eidasTimestamp.issuer).toBe('CN=TSA signer');
    },
  );

  it.each<TsaMode>(['silent', 'trickling'])(
    '%s: it is given up by itself, and the next authority is asked',
    { tags: ['long'], timeout: 60_000 },
    async (mode) => {
      hostile.mode = mode;
      await growChain();
      const answered = tsa.requests;
      expect(await stampHeads()).toBe(1);
      expect(tsa.requests).toBe(answered + 1);
    },
  );

  it('when none answers, the pauses grow; the next stamp covers what waited', async () => {
    hostile.mode = 'down';
    tsa.mode = 'stranger';
    await growChain();
    const before = tsa.requests;
    const countAfter = async (minutes: number) => {
      now += minutes * 60_000;
      await stampHeads();
      return tsa.requests - before;
    };
    expect(await countAfter(0)).toBe(1);
    expect(await countAfter(0.9)).toBe(1);
    expect(await countAfter(0.2)).toBe(2);
    expect(await countAfter(1.9)).toBe(2);
    expect(await countAfter(0.2)).toBe(3);
    expect((await readAnchor()).eidasTimestamp).toBeNull();
    tsa.mode = 'up';
    expect(await countAfter(4.1)).toBe(4);
    expect((await readAnchor()).eidasTimestamp).toMatchObject({ issuer: 'CN=TSA signer' });
  });
});
