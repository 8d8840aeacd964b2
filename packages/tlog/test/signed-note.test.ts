// Notes, verifier keys and cosignatures are those of the C2SP documents; any changed byte is noticed.
import { createPrivateKey, createPublicKey, sign } from 'node:crypto';
import { expect, it } from 'vitest';
import { readWitnessAnswer } from '../src/add-checkpoint.ts';
import {
  formatCosignature,
  formatCosignedText,
  formatSignatureLine,
  formatVerifierKey,
  isSignedBy,
  LOG_KEY,
  parseNote,
  parseSignatureLine,
  parseVerifierKey,
  signNote,
  toRawPublicKey,
  verifyCosignature,
  WITNESS_KEY,
} from '../src/signed-note.ts';
import { formatCheckpoint, formatProofFile, parseCheckpoint } from '../src/checkpoint.ts';

/** The example of golang.org/x/mod/sumdb/note, from which the format comes. */
const PETER = 'PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW';
const PETERS_NOTE =
  `If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n` +
  '\n\u2014 PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n';

const privateKey = createPrivateKey({
  key: Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), Buffer.alloc(32, 7)]),
  format: 'der',
  type: 'pkcs8',
});
const publicKey = toRawPublicKey(createPublicKey(privateKey));
const log = { name: 'log.example/log/1', type: LOG_KEY, publicKey };
const witness = { name: 'witness.example/w1', type: WITNESS_KEY, publicKey };
const signText = (text: Uint8Array) => Promise.resolve(sign(null, text, privateKey));
const text = formatCheckpoint({ origin: log.name, size: 400, root: Buffer.alloc(32, 1) });

it('a note of the Go library verifies', () => {
  const key = parseVerifierKey(PETER)!;
  expect(formatVerifierKey(key)).toBe(PETER);
  expect(isSignedBy(parseNote(PETERS_NOTE)!, key)).toBe(true);
});

it('a signed checkpoint verifies; no changed byte does', async () => {
  const note = await signNote(text, log, signText);
  expect(isSignedBy(parseNote(note)!, log)).toBe(true);
  expect(parseCheckpoint(parseNote(note)!.text)).toEqual({
    origin: log.name,
    size: 400,
    root: Buffer.alloc(32, 1),
  });
  const bytes = Buffer.from(note);
  for (const at of bytes.keys()) {
    const changed = Buffer.from(bytes);
    changed[at]! ^= 1;
    const parsed = parseNote(changed.toString());
    expect(parsed !== null && isSignedBy(parsed, log), `byte ${at}`).toBe(false);
  }
});

it('a cosignature verifies with its time; no changed byte does', () => {
  const signed = sign(null, Buffer.from(formatCosignedText(text, 1_764_000_000)), privateKey);
  const line = formatSignatureLine(witness, formatCosignature(1_764_000_000, signed)).trimEnd();
  expect(verifyCosignature(text, parseSignatureLine(line)!, witness)).toBe(1_764_000_000);
  expect(verifyCosignature(`${text}x`, parseSignatureLine(line)!, witness)).toBeNull();
  const bytes = Buffer.from(line);
  for (const at of bytes.keys()) {
    const changed = Buffer.from(bytes);
    changed[at]! ^= 1;
    const parsed = parseSignatureLine(changed.toString());
    expect(parsed && verifyCosignature(text, parsed, witness), `byte ${at}`).toBeNull();
  }
});

it('a cosignature of a time beyond all calendars is none, nor is one behind a hundred lines', () => {
  const write = (seconds: number) => {
    const signed = sign(null, Buffer.from(formatCosignedText(text, seconds)), privateKey);
    return formatSignatureLine(witness, formatCosignature(seconds, signed));
  };
  const read = (body: string) => readWitnessAnswer({ status: 200, body }, text, witness).kind;
  expect([read(write(253_402_300_799)), read(write(253_402_300_800))]).toEqual([
    'signed',
    'failed',
  ]);
  expect(read(`${'x\n'.repeat(99)}${write(7)}`)).toBe('signed');
  expect(read(`${'x\n'.repeat(100)}${write(7)}`)).toBe('failed');
});

it.each([
  'no plus signs',
  'name+00000000+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW',
  PETER.replace('+AR', '+BR'),
  PETER.slice(0, -1),
  PETER.replace('PeterNeumann', 'Peter Neumann'),
])('%s is no verifier key', (key) => {
  expect(parseVerifierKey(key)).toBeNull();
});

it.each([
  '',
  'text\n',
  'text\n\n',
  'text\n\n\u2014 name\n',
  'text\n\n\u2014 name AAAA\n',
  'text\u0000\n\n\u2014 name AAAAAAAA\n',
  'text\n\n\u2014 name AAAAAAAA',
  `text\n\n${'\u2014 name AAAAAAAA\n'.repeat(101)}`,
])('%j is no note', (note) => {
  expect(parseNote(note)).toBeNull();
});

it.each(['a\n01\nAAAA\n', 'a\n-1\nAAAA\n', 'a\n1\nAAAA\n', '\n1\nAAAA\n', 'a\n9007199254740993\n'])(
  '%j is no checkpoint',
  (checkpoint) => {
    expect(parseCheckpoint(checkpoint)).toBeNull();
  },
);

it('a proof file is written as c2sp.org/tlog-proof says', () => {
  const file = formatProofFile({ index: 3, path: [Buffer.alloc(32)] }, 'note\n', Buffer.of(1));
  const hash = Buffer.alloc(32).toString('base64');
  expect(file).toBe(`c2sp.org/tlog-proof@v1\nextra AQ==\nindex 3\n${hash}\n\nnote\n`);
});
