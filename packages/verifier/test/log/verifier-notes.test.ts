// Verifier keys, notes and checkpoints of C2SP in the stand-alone verifier: what is read, and what is refused.
import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import {
  findWitnessTime,
  isSignedBy,
  PLAIN,
  readCheckpoint,
  readKey,
  readNote,
  WITNESS,
} from '../../src/log/note.ts';

const NAME = 'log.example.com';
const pair = generateKeyPairSync('ed25519');
const raw = pair.publicKey.export({ format: 'der', type: 'spki' }).subarray(-32);

function writeKey(type: number, { name = NAME, id, bytes = raw }: KeyParts = {}): string {
  const typed = Buffer.concat([Buffer.from([type]), bytes]);
  const digest = createHash('sha256').update(`${name}\n`).update(typed).digest('hex');
  return `${name}+${id ?? digest.slice(0, 8)}+${typed.toString('base64')}`;
}
interface KeyParts {
  name?: string;
  id?: string;
  bytes?: Buffer;
}

const text = `${NAME}\n7\n${Buffer.alloc(32, 7).toString('base64')}\n`;
const signLine = (id: string, bytes: Buffer, name = NAME): string =>
  `\u2014 ${name} ${Buffer.concat([Buffer.from(id, 'hex'), bytes]).toString('base64')}\n`;
const signText = (signed: string): Buffer => sign(null, Buffer.from(signed), pair.privateKey);
const [plain, witness] = [PLAIN, WITNESS].map((type) => readKey(writeKey(type)));

function cosign(seconds: number): Buffer {
  const time = Buffer.alloc(8);
  time.writeBigUInt64BE(BigInt(seconds));
  return Buffer.concat([time, signText(`cosignature/v1\ntime ${seconds}\n${text}`)]);
}

describe('a verifier key', () => {
  test('has a name, the id that follows from it, a type and 32 bytes', () => {
    expect(readKey(` ${writeKey(PLAIN)}\n`)).toMatchObject({ name: NAME, type: PLAIN });
    expect(Buffer.compare(readKey(writeKey(WITNESS)).bytes, raw)).toBe(0);
  });

  test.each([
    ['another id', writeKey(PLAIN, { id: '00000000' }), 'the key id is wrong'],
    [
      'the id of another name',
      writeKey(PLAIN).replace(NAME, 'other.example'),
      'the key id is wrong',
    ],
    ['an unknown type', writeKey(2), 'not an Ed25519 key'],
    ['31 bytes', writeKey(PLAIN, { bytes: raw.subarray(1) }), 'not an Ed25519 key'],
    ['no name', writeKey(PLAIN).slice(NAME.length), 'not a verifier key'],
    ['a second line', `${writeKey(PLAIN)}\nx`, 'not a verifier key'],
  ])('with %s is refused', (_name, key, message) => {
    expect(() => readKey(key)).toThrow(message);
  });
});

describe('a note', () => {
  const id = plain!.id;
  const note = `${text}\n${signLine(id, signText(text))}`;

  test('is signed by a key of its name and id, over its text alone', () => {
    expect(isSignedBy(readNote(note), plain!)).toBe(true);
    expect(isSignedBy(readNote(note), witness!)).toBe(false);
    expect(isSignedBy(readNote(note.replace('\n7\n', '\n8\n')), plain!)).toBe(false);
    const others = [
      signLine('00000000', signText(text)),
      signLine(id, signText(text), 'other.example'),
      signLine(id, signText(`${text}\n`)),
    ];
    for (const line of others) expect(isSignedBy(readNote(`${text}\n${line}`), plain!)).toBe(false);
    expect(
      isSignedBy(readNote(`${text}\n${others.join('')}${signLine(id, signText(text))}`), plain!),
    ).toBe(true);
  });

  test('of a witness says when it was signed', () => {
    const cosigned = (line: string) => findWitnessTime(readNote(`${text}\n${line}`), witness!);
    expect(cosigned(signLine(witness!.id, cosign(1_700_000_000)))).toBe(1_700_000_000);
    const later = cosign(1_700_000_000);
    later.writeBigUInt64BE(1_700_000_001n);
    expect(cosigned(signLine(witness!.id, later))).toBeNull();
    expect(cosigned(signLine(witness!.id, signText(text)))).toBeNull();
    expect(cosigned(signLine(id, cosign(5)))).toBeNull();
    expect(cosigned(signLine(witness!.id, cosign(5), 'other.example'))).toBeNull();
    const plainKey = { ...witness!, type: PLAIN };
    const line = signLine(witness!.id, cosign(5));
    expect(findWitnessTime(readNote(`${text}\n${line}`), plainKey)).toBeNull();
  });

  test.each([
    ['no signature block', text, 'not a signed note'],
    ['no line break at its end', note.slice(0, -1), 'not a signed note'],
    ['a line that is no signature', `${text}\n${NAME} AAAA\n`, 'not a signature line'],
    ['base64 that is not canonical', `${text}\n\u2014 ${NAME} AAB=\n`, 'not base64'],
  ])('with %s is refused', (_name, written, message) => {
    expect(() => readNote(written)).toThrow(message);
  });
});

describe('a checkpoint', () => {
  const read = (written: string) => readCheckpoint({ text: written, signatures: [] });

  test('has origin, size and root', () => {
    expect(read(text)).toEqual({ origin: NAME, size: 7, root: Buffer.alloc(32, 7) });
  });

  test.each([
    ['without an origin', text.slice(NAME.length), 'not a checkpoint'],
    ['with a size that begins with zero', text.replace('\n7\n', '\n07\n'), 'not a checkpoint'],
    ['with a short root', `${NAME}\n7\n${Buffer.alloc(31).toString('base64')}\n`, 'not a hash'],
  ])('%s is refused', (_name, written, message) => {
    expect(() => read(written)).toThrow(message);
  });
});
