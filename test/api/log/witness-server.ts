// A witness (c2sp.org/tlog-witness) that checks what it signs, and can be down, slow, new or ahead.
import { createServer } from 'node:http';
import { createPublicKey, generateKeyPairSync, sign } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import {
  isConsistent,
  type LogCheckpoint,
  parseCheckpoint,
  formatCosignature,
  formatCosignedText,
  formatSignatureLine,
  formatVerifierKey,
  parseNote,
  toRawPublicKey,
  WITNESS_KEY,
} from '@assay/tlog';

export interface TestWitness {
  name: string;
  vkey: string;
  url: string;
  /** What it knows of the log; null: it meets it first. */
  known: LogCheckpoint | null;
  requests: number;
  /** Every checkpoint that it was sent. */
  heard: LogCheckpoint[];
  /** `409` and `422`: it answers so, whatever it is sent. */
  mode: 'up' | 'down' | 'slow' | 'wrong signature' | '409' | '422';
  /** The checkpoint that it signed last, with its signature; null: it shows none. */
  shown: string | null;
  stop(): Promise<void>;
}

interface Answer {
  status: number;
  body: string;
}

export async function startWitness(name: string): Promise<TestWitness> {
  const { privateKey } = generateKeyPairSync('ed25519');
  const publicKey = toRawPublicKey(createPublicKey(privateKey));
  const key = { name: `${name}.example/w`, type: WITNESS_KEY, publicKey };

  function addCheckpoint(body: string): Answer {
    if (witness.mode === '409') return { status: 409, body: '1000000\n' };
    if (witness.mode === '422') return { status: 422, body: '' };
    const at = body.indexOf('\n\n');
    const [oldLine = '', ...hashes] = body.slice(0, at).split('\n');
    const old = Number(oldLine.slice('old '.length));
    const note = parseNote(body.slice(at + 2))!;
    const checkpoint = parseCheckpoint(note.text)!;
    witness.heard.push(checkpoint);
    const known = witness.known ?? { ...checkpoint, size: 0 };
    if (old !== known.size) return { status: 409, body: `${known.size}\n` };
    const path = hashes.map((text) => Buffer.from(text, 'base64'));
    if (!isConsistent(known, checkpoint, path)) return { status: 422, body: '' };
    witness.known = checkpoint;
    const seconds = Math.floor(Date.now() / 1000);
    const text = witness.mode === 'wrong signature' ? 'another text\n' : note.text;
    const signature = sign(null, Buffer.from(formatCosignedText(text, seconds)), privateKey);
    const line = formatSignatureLine(key, formatCosignature(seconds, signature));
    witness.shown = body.slice(at + 2) + line;
    return { status: 200, body: line };
  }

  const server = createServer((req, res) => {
    witness.requests += 1;
    if (witness.mode === 'down') return void res.destroy();
    if (witness.mode === 'slow') return;
    let body = '';
    req.on('data', (piece: Buffer) => (body += piece.toString()));
    req.on('end', () => {
      const shown = { status: witness.shown === null ? 404 : 200, body: witness.shown ?? '' };
      const { status, body: text } = req.method === 'GET' ? shown : addCheckpoint(body);
      res.writeHead(status, { 'Content-Type': 'text/plain' }).end(text);
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const witness: TestWitness = {
    name,
    vkey: formatVerifierKey(key),
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    known: null,
    requests: 0,
    heard: [],
    mode: 'up',
    shown: null,
    stop: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
  return witness;
}
