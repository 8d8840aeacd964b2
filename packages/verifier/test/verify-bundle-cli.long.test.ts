// The verifier as one dependency-free file: its exit codes, its inputs, and its memory.
// @module-tag long
import { execFile, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  formatBundleEntry,
  formatBundleFooter,
  formatBundleHeader,
} from '../../../src/domain/record/bundle.ts';
import {
  computeChainHash,
  computePayloadDigest,
  sha256Hex,
  ZERO_HASH,
} from '../../../src/domain/record/chain.ts';
import type { Position } from '../../../src/domain/record/chain.ts';
import { createStatusPayload, createTracePayload } from '../../../src/domain/record/payload.ts';
import {
  createBundleLines,
  disclosed,
  ORGANIZATION,
  createReceipt,
  SampleChain,
} from '../../../test/domain/record/samples/sample-chain.ts';
import { chooseRuns } from '../../../test/setup/runs.ts';

/** What reads time stamps: certificates and signatures in ASN.1. Nothing else of others is in the program. */
const STAMP_PACKAGES =
  /^node_modules\/(pkijs|asn1js|bytestreamjs|pvtsutils|pvutils|tslib|@noble\/hashes|@peculiar\/utils)\//;
const folder = mkdtempSync(join(tmpdir(), 'assay-verify-'));
const program = join(folder, 'verify-bundle.mjs');
const path = (name: string) => join(folder, name);

beforeAll(async () => {
  const { metafile } = await build({
    entryPoints: ['scripts/verify-bundle.ts'],
    bundle: true,
    platform: 'node',
    format: 'esm',
    outfile: program,
    metafile: true,
  });
  const sources = Object.keys(metafile.inputs);
  const outside = sources.filter(
    (source) =>
      !/^(scripts\/verify-bundle|packages\/verifier\/src\/)/.test(source) &&
      !STAMP_PACKAGES.test(source),
  );
  const packages = metafile.outputs[Object.keys(metafile.outputs)[0]!]!.imports.filter(
    (from) => !from.path.startsWith('node:'),
  );
  expect({ outside, packages }).toEqual({ outside: [], packages: [] });
});

afterAll(() => rmSync(folder, { recursive: true }));

function run(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [program, ...args], (error, out, err) =>
      resolve({ code: Number(error?.code ?? 0), out, err }),
    );
  });
}

describe('the command', () => {
  const chain = new SampleChain();
  const first = chain.trace({ amount: 5 });
  const answer = JSON.stringify({
    success: true,
    data: { traceId: first.traceId, hashChain: createReceipt(first) },
  });
  const document = createBundleLines(disclosed(chain.entries)).join('\n') + '\n';
  const pin = JSON.stringify(createReceipt(first));

  beforeAll(() => {
    writeFileSync(path('bundle.json'), document);
    writeFileSync(path('bundle.json.gz'), gzipSync(document));
    writeFileSync(path('cut.json.gz'), gzipSync(document).subarray(0, 700));
    writeFileSync(path('tampered.json'), document.replace(first.payloadDigest, ZERO_HASH));
    writeFileSync(
      path('latin1.json'),
      Buffer.from(document.replace('In time.', 'In t\u00efme.'), 'latin1'),
    );
    writeFileSync(path('answer.json'), answer);
    writeFileSync(path('body.json'), JSON.stringify({ traceId: first.traceId, amount: 5 }));
  });

  it.each([
    ['plain', 'bundle.json', 0],
    ['gzipped', 'bundle.json.gz', 0],
    ['tampered', 'tampered.json', 1],
    ['gzipped and cut off', 'cut.json.gz', 2],
    ['not UTF-8', 'latin1.json', 2],
    ['absent', 'nothing.json', 2],
  ])('reads a %s file', async (_name, file, code) => {
    expect(await run(path(file), '--pin', pin)).toMatchObject({ code });
  });

  it('takes the saved answer of the ingestion and the body, and reports as JSON', async () => {
    const { code, out } = await run(
      path('bundle.json'),
      '--pin',
      path('answer.json'),
      '--body',
      path('body.json'),
      '--json',
    );
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ verdict: 'intact', submitted: true, vouchedUpTo: 1 });
  });

  it('says what became of every value', async () => {
    const { out } = await run(path('bundle.json'), '--pin', pin, '--fields');
    const rows = out.split('\n').filter((line) => line.startsWith('{'));
    expect(rows.map((row) => (JSON.parse(row) as { name: string }).name)).toContain(
      'outputDecision',
    );
    expect(out).toContain('INTACT');
  });

  it.each(['-Yy2Pd0m6HzCrUj7Gpf_jA', '--json2m6HzCrUj7Gpf_jA', 'Yy2Pd0m6HzCrUj7Gpf_j2A'])(
    'takes the salt %s, whatever it begins with',
    async (salt) => {
      const asked = [
        '--decision',
        String(first.traceId),
        '--action',
        path('body.json'),
        '--salt',
        salt,
      ];
      const { code, out } = await run(path('bundle.json'), '--pin', pin, ...asked, '--json');
      expect(code).toBe(0);
      expect(JSON.parse(out)).toMatchObject({ verdict: 'intact', decision: expect.anything() });
    },
  );

  it.each([
    ['no file', []],
    ['an option in the place of a salt', ['bundle.json', '--salt', '--json']],
    ['an unknown option', ['bundle.json', '--trust-me']],
    ['a pin that is none', ['bundle.json', '--pin', '{}']],
    ['a body without a salt to open it', ['bundle.json', '--body', path('body.json')]],
  ])('refuses %s', async (_name, args) => {
    const { code, out, err } = await run(...args);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).not.toBe('');
  });
});

/** A bundle of `count` entries, every tenth a status change of the decision before. */
function* generated(count: number): Generator<string> {
  const common = {
    organizationId: ORGANIZATION,
    workspaceId: null,
    actor: { kind: 'agentKey' as const, id: ORGANIZATION },
    commitments: Object.fromEntries(
      ['submitted', 'origin', 'evaluation', 'inputContext', 'outputDecision'].map((name) => [
        name,
        sha256Hex(name),
      ]),
    ),
  };
  const decision = {
    ...common,
    agent: null,
    schemaVersion: '2026-04-11',
    status: 'approved' as const,
    engineVersion: '1',
  };
  const range = { fromSequence: 1, toSequence: count };
  const exportedAt = '2026-05-01T00:00:00.000Z';
  // The head is beyond what is exported, so that it need not be known before the entries are.
  const head = { sequence: count + 1, chainHash: ZERO_HASH };
  yield formatBundleHeader({
    chain: 'ledger',
    organizationId: ORGANIZATION,
    exportedAt,
    range,
    prevHash: ZERO_HASH,
    head,
    count,
  });
  let newest: Position = { sequence: 0, chainHash: ZERO_HASH };
  let traceId = '';
  for (let sequence = 1; sequence <= count; sequence++) {
    const isAmendment = sequence % 10 === 0;
    traceId = isAmendment ? traceId : `trc_${sequence}`;
    const view = isAmendment
      ? createStatusPayload({
          ...common,
          traceId,
          subject: newest,
          after: newest,
          set: { status: 'success', humanOverride: null },
        })
      : createTracePayload({
          ...decision,
          traceId,
          policySetDigest: ZERO_HASH,
          scrubVersion: '1',
          unstored: [],
        });
    const link = {
      prevHash: newest.chainHash,
      payloadDigest: computePayloadDigest(view),
      sequence,
      createdAt: exportedAt,
    };
    newest = { sequence, chainHash: computeChainHash(link) };
    const entry = {
      id: String(sequence),
      organizationId: ORGANIZATION,
      traceId,
      ...link,
      chainHash: newest.chainHash,
      view,
    };
    yield formatBundleEntry({ ...entry, disclosures: [] }, sequence === count);
  }
  yield formatBundleFooter({ count, chainHash: newest.chainHash });
}

describe('memory', () => {
  const count = chooseRuns(15_000, 50_000);

  it(`stays within 24 MB of heap over ${count} entries`, async () => {
    const args = ['--max-old-space-size=24', program, '-', '--json'];
    const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
    Readable.from(generated(count)).pipe(child.stdin);
    const report = JSON.parse(await text(child.stdout)) as object;
    expect(report).toMatchObject({
      problemCount: 1,
      problems: [{ code: 'not-vouched' }],
      entries: count,
    });
    expect(report).toMatchObject({ fields: { withheld: 5 * count } });
  });
});
