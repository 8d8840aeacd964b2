// The demo's witness: another party with a key of its own, which signs a log only as long as it continues.
import { createPublicKey, generateKeyPairSync, sign } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import {
  writeCosignature,
  decideCosigning,
  parseCosignRequest,
  computeEmptyRoot,
  type TreeHead,
  formatVerifierKey,
  parseNote,
  parseVerifierKey,
  toRawPublicKey,
  WITNESS_KEY,
  type VerifierKey,
} from '@assay/tlog';

export interface DemoWitness {
  vkey: string;
  url: string;
  /** `host:port`, which the instance must allow as a destination. */
  host: string;
  /** Names a log that it signs; until then it knows none. */
  addLog(logKey: string): void;
  /** Signs what it saw of a log by itself; returns the checkpoint with its signature. */
  signSeen(checkpoint: string): Promise<string>;
  close(): Promise<void>;
}

/** Starts it on a free port of the loopback. */
export async function startWitness(): Promise<DemoWitness> {
  const { privateKey } = generateKeyPairSync('ed25519');
  const publicKey = toRawPublicKey(createPublicKey(privateKey));
  const key = { name: 'witness.example/demo', type: WITNESS_KEY, publicKey };
  const logs = new Map<string, VerifierKey>();
  const known = new Map<string, TreeHead>();
  const signText = (bytes: Uint8Array): Promise<Uint8Array> =>
    Promise.resolve(sign(null, bytes, privateKey));

  async function answer(body: string): Promise<{ status: number; text: string }> {
    const request = parseCosignRequest(body);
    const logKey = request && logs.get(request.checkpoint.origin);
    if (!request || !logKey) return { status: request ? 404 : 400, text: '' };
    const { checkpoint, note } = request;
    const before = known.get(checkpoint.origin) ?? { size: 0, root: computeEmptyRoot() };
    const verdict = decideCosigning(request, before, [logKey]);
    if (verdict.kind === 'conflict') return { status: 409, text: `${verdict.size}\n` };
    if (verdict.kind === 'refuse') return { status: verdict.status, text: '' };
    known.set(checkpoint.origin, checkpoint);
    return {
      status: 200,
      text: await writeCosignature(note.text, { key, at: new Date() }, signText),
    };
  }

  const server = createServer((request, response) => {
    void text(request)
      .then(answer)
      .then((given) => response.writeHead(given.status).end(given.text));
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    vkey: formatVerifierKey(key),
    url: `http://${host}`,
    host,
    addLog(logKey) {
      const parsed = parseVerifierKey(logKey);
      if (parsed) logs.set(parsed.name, parsed);
    },
    async signSeen(checkpoint) {
      const note = parseNote(checkpoint);
      if (!note) throw new Error('The log shows no checkpoint');
      return checkpoint + (await writeCosignature(note.text, { key, at: new Date() }, signText));
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
