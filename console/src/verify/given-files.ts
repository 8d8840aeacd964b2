// Tells by its contents what a dropped file is.
import type { Evidence } from '../../verifier/protocol.ts';

export type FileKind =
  | 'bundle'
  | 'proof'
  | 'checkpoint'
  | 'checkpoints'
  | 'witness policy'
  | 'answer'
  | 'erasure'
  | 'pin'
  | 'keys'
  | 'time stamp'
  | 'certificates'
  | 'unknown';

export interface GivenFile {
  name: string;
  kind: FileKind;
  size: number;
  blob: Blob;
  /** Empty for a bundle, which may be large; base64 for a time stamp. */
  text: string;
}

const GZIP = '\u001f\u008b';
const HEADS = 'assay-heads/';
const MOST_TEXT = 4 * 1024 * 1024;
/** A heads file has a line for each checkpoint of its installation. */
const MOST_HEADS = 256 * 1024 * 1024;
const SIGNATURE_LINE = /^\u2014 \S+ [A-Za-z0-9+/=]+$/m;
const POLICY_LINE = /^\s*(witness|group|quorum)\s/m;
const VERIFIER_KEY = /[^\s+"]+\+[0-9a-f]{8}\+[A-Za-z0-9+/=]{44,}/g;
const CERTIFICATE = '-----BEGIN CERTIFICATE-----';
/** DER begins with a sequence whose length takes several bytes. */
const isDer = ([first = 0, second = 0]: Uint8Array): boolean => first === 0x30 && second > 0x80;
const KEY_NAME = /^[0-9a-f]{64}$/;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function parseObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

function hasPromise(value: Record<string, unknown>): boolean {
  const data = isObject(value['data']) ? value['data'] : value;
  const { hashChain } = data;
  return isObject(hashChain) && isObject(hashChain['promise']);
}

/** The answer about an erasure. It names its custodian's key, which is not for that reason one to trust. */
function hasCertificate(value: Record<string, unknown>): boolean {
  const data = isObject(value['data']) ? value['data'] : value;
  return typeof data['certificate'] === 'string' && 'destruction' in data;
}

function identifyJson(text: string): FileKind {
  const value = parseObject(text);
  if (!value) return 'unknown';
  if (hasCertificate(value)) return 'erasure';
  if (hasPromise(value)) return 'answer';
  if (text.match(VERIFIER_KEY)) return 'keys';
  return 'pin';
}

/** Reads the beginning byte by byte, since a bundle may be zipped. */
function identifyText(text: string): FileKind {
  if (text.startsWith('c2sp.org/tlog-proof@')) return 'proof';
  if (text.startsWith(HEADS)) return 'checkpoints';
  // A statement alone: the verifier asks for its erasure.
  if (text.startsWith('assay-destruction/')) return 'erasure';
  if (SIGNATURE_LINE.test(text)) return 'checkpoint';
  if (POLICY_LINE.test(text)) return 'witness policy';
  if (text.trimStart().startsWith('{')) return identifyJson(text);
  if (text.match(VERIFIER_KEY)) return 'keys';
  if (text.includes(CERTIFICATE)) return 'certificates';
  return /^\d+:[0-9a-f]{64}\s*$/.test(text) ? 'pin' : 'unknown';
}

export async function readGivenFile(blob: Blob, name: string): Promise<GivenFile> {
  const head = new Uint8Array(await blob.slice(0, 512).arrayBuffer());
  const latin = String.fromCharCode(...head);
  const isBundle =
    latin.startsWith(GZIP) ||
    latin.slice(257, 262) === 'ustar' ||
    /^\s*\{\s*"format":\s*"assay-bundle"/.test(latin);
  const common = { name, size: blob.size, blob };
  if (isBundle) return { ...common, kind: 'bundle', text: '' };
  const most = latin.startsWith(HEADS) ? MOST_HEADS : MOST_TEXT;
  if (blob.size > most) return { ...common, kind: 'unknown', text: '' };
  if (isDer(head)) return { ...common, kind: 'time stamp', text: await readBase64(blob) };
  const text = await blob.text();
  return { ...common, kind: identifyText(text), text };
}

async function readBase64(blob: Blob): Promise<string> {
  const bytes = new Uint8Array(await blob.arrayBuffer());
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
}

/** Keys and places that were typed in, one a line. */
export interface Typed {
  keys: string;
  pins: string;
  custodianKeys: string;
}

const splitLines = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

/** Gathers what the verifier is to hold a bundle against. */
export function collectEvidence(
  files: readonly GivenFile[],
  { keys, pins, custodianKeys }: Typed,
): Evidence {
  const listTexts = (kind: FileKind): string[] =>
    files.filter((file) => file.kind === kind).map(({ text }) => text);
  const typedKeys = splitLines(keys);
  const answers = files.filter(({ kind }) => kind === 'answer');
  return {
    proofs: listTexts('proof'),
    checkpoints: listTexts('checkpoint'),
    heads: listTexts('checkpoints'),
    policy: listTexts('witness policy').at(-1) ?? null,
    verifierKeys: [
      ...typedKeys.filter((key) => !KEY_NAME.test(key)),
      ...listTexts('keys').flatMap((text) => text.match(VERIFIER_KEY) ?? []),
    ],
    keyNames: typedKeys.filter((key) => KEY_NAME.test(key)),
    pins: [...splitLines(pins), ...listTexts('pin'), ...answers.map(({ text }) => text)],
    stamps: files
      .filter(({ kind }) => kind === 'time stamp')
      .map(({ name, text }) => ({ name, base64: text })),
    roots: listTexts('certificates'),
    answers: answers.map(({ name, text }) => ({ name, text })),
    erasure: files.findLast(({ kind }) => kind === 'erasure') ?? null,
    custodianKeys: splitLines(custodianKeys),
  };
}
