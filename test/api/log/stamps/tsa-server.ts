// A time-stamping authority (RFC 3161) of OpenSSL behind HTTP, which can also answer as a hostile or broken one would.
import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createCircularAnswer } from './crafted-stamps.ts';
import { wrapToken } from '../../../../src/domain/log/time-stamps/token-response.ts';

const runFile = promisify(execFile);
export const hasOpenssl = spawnSync('openssl', ['version']).status === 0;

export type TsaMode =
  | 'up'
  | 'down'
  | 'silent'
  | 'trickling'
  | 'huge'
  | 'garbage'
  | 'nested'
  | 'refusing'
  | 'other nonce'
  | 'other text'
  | 'altered'
  | 'expired'
  | 'other purpose'
  | 'no name'
  | 'circle'
  | 'stranger';

export interface TestTsa {
  url: string;
  /** Its root certificate, in PEM. */
  ca: string;
  mode: TsaMode;
  requests: number;
  /** Ends all connections. */
  hangUp(): void;
  stop(): Promise<void>;
}

const CONFIG = `
[ca]
default_ca = own
[own]
database = index.txt
new_certs_dir = .
serial = serial.txt
default_md = sha256
policy = any
unique_subject = no
[any]
commonName = supplied
[req]
distinguished_name = dn
[dn]
[root]
basicConstraints = critical,CA:TRUE
keyUsage = critical,keyCertSign
[stamps]
basicConstraints = CA:FALSE
keyUsage = critical,digitalSignature
extendedKeyUsage = critical,timeStamping
[loose]
basicConstraints = CA:FALSE
keyUsage = critical,digitalSignature
extendedKeyUsage = critical,timeStamping,codeSigning
[tsa]
default_tsa = t
[t]
serial = serial.tsa
default_policy = 1.2.3.4.1
digests = sha256,sha384
signer_digest = sha256
ess_cert_id_alg = sha256
accuracy = secs:1
`;
const KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];

/** Makes a root, certificates for stamps below it, and one that expired; and a root of its own for a stranger. */
async function makeCertificates(folder: string): Promise<void> {
  const runOpenssl = (...args: string[]) => runFile('openssl', args, { cwd: folder });
  writeFileSync(join(folder, 'tsa.cnf'), CONFIG);
  writeFileSync(join(folder, 'index.txt'), '');
  writeFileSync(join(folder, 'serial.txt'), '01\n');
  writeFileSync(join(folder, 'serial.tsa'), '0A\n');
  for (const root of ['ca', 'strange']) {
    const names = ['-keyout', `${root}.key`, '-out', `${root}.pem`, '-subj', `/CN=Root ${root}`];
    const parts = ['-config', 'tsa.cnf', '-extensions', 'root', '-days', '3650'];
    await runOpenssl('req', '-x509', ...KEY, ...names, ...parts);
  }
  const signers = [
    ['signer', 'ca', 'stamps', '20200101000000Z', '20991231000000Z'],
    ['expired', 'ca', 'stamps', '20200101000000Z', '20210101000000Z'],
    ['loose', 'ca', 'loose', '20200101000000Z', '20991231000000Z'],
    ['stranger', 'strange', 'stamps', '20200101000000Z', '20991231000000Z'],
  ] as const;
  for (const [name, root, extensions, start, end] of signers) {
    const request = ['-keyout', `${name}.key`, '-out', `${name}.csr`, '-subj', `/CN=TSA ${name}`];
    await runOpenssl('req', ...KEY, ...request, '-config', 'tsa.cnf');
    const by = ['-cert', `${root}.pem`, '-keyfile', `${root}.key`, '-extensions', extensions];
    const time = ['-startdate', start, '-enddate', end, '-notext', '-batch'];
    const files = ['-in', `${name}.csr`, '-out', `${name}.pem`, '-config', 'tsa.cnf'];
    await runOpenssl('ca', ...files, ...by, ...time);
  }
}

const SIGNERS: Partial<Record<TsaMode, string>> = {
  expired: 'expired',
  stranger: 'stranger',
};

/** Replaces the nonce, which is the integer of eight bytes, or the imprint, the text of 32 bytes. */
function changeRequest(request: Buffer, mode: TsaMode): Buffer {
  const altered = Buffer.from(request);
  const part = { 'other nonce': '0208', 'other text': '0420' }[String(mode)];
  const at = part === undefined ? -1 : altered.indexOf(Buffer.from(part, 'hex'));
  if (at !== -1) altered[at + 5] = altered[at + 5]! ^ 1;
  return altered;
}

/** Sends a byte now and then, and never ends. */
function sendSlowly(res: ServerResponse): void {
  res.writeHead(200, { 'Content-Type': 'application/timestamp-reply' });
  const sending = setInterval(() => void res.write('0'), 300);
  res.on('close', () => clearInterval(sending));
}

/** Makes certificates, which several authorities may use. */
export async function makeTsaFolder(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'assay-tsa-'));
  await makeCertificates(folder);
  return folder;
}

/** Signs a stamp again, with a certificate that OpenSSL would not take, or without its name. */
async function signAgain(folder: string, mode: TsaMode): Promise<Buffer> {
  const runOpenssl = (...args: string[]) => runFile('openssl', args, { cwd: folder });
  await runOpenssl('ts', '-reply', '-in', 'reply.tsr', '-token_out', '-out', 'token.der');
  const [of, der] = [
    ['-in', 'token.der', '-inform', 'DER'],
    ['-outform', 'DER'],
  ];
  await runOpenssl('cms', '-verify', ...of, '-noverify', '-out', 'stamp.der');
  const name = mode === 'no name' ? 'signer' : 'loose';
  const by = ['-signer', `${name}.pem`, '-inkey', `${name}.key`, '-md', 'sha256'];
  const what = ['-in', 'stamp.der', '-binary', '-nodetach', '-econtent_type'];
  const cades = mode === 'no name' ? [] : ['-cades'];
  const type = '1.2.840.113549.1.9.16.1.4';
  await runOpenssl('cms', '-sign', ...what, type, ...by, ...cades, ...der, '-out', 'again.der');
  return wrapToken(readFileSync(join(folder, 'again.der')));
}

export async function startTsa(folder: string): Promise<TestTsa> {
  /** Has OpenSSL answer a request. */
  async function signReply(request: Buffer, mode: TsaMode): Promise<Buffer> {
    const name = SIGNERS[mode] ?? 'signer';
    writeFileSync(join(folder, 'request.tsq'), changeRequest(request, mode));
    const key = ['-signer', `${name}.pem`, '-inkey', `${name}.key`];
    const files = ['-queryfile', 'request.tsq', '-out', 'reply.tsr', '-config', 'tsa.cnf'];
    const args = ['ts', '-reply', ...files, ...key];
    // A refusal is an answer too.
    await runFile('openssl', args, { cwd: folder }).catch(() => undefined);
    return readFileSync(join(folder, 'reply.tsr'));
  }

  async function createReply(request: Buffer, mode: TsaMode): Promise<Buffer> {
    if (mode === 'huge') return Buffer.alloc(3 << 20, 0x30);
    if (mode === 'circle') return createCircularAnswer(request);
    if (mode === 'garbage') return Buffer.from('<html>Sign in to the network</html>');
    if (mode === 'nested') return Buffer.from('3080'.repeat(30_000), 'hex');
    // An algorithm that it does not accept: SHA-256 becomes SHA-512/224.
    if (mode === 'refusing') {
      const other = Buffer.from(request);
      other[other.indexOf(Buffer.from('6086480165030402', 'hex')) + 8] = 5;
      return signReply(other, mode);
    }
    const answer = await signReply(request, mode);
    if (mode === 'other purpose' || mode === 'no name') return signAgain(folder, mode);
    if (mode === 'altered') answer[answer.length - 1] = answer.at(-1)! ^ 1;
    return answer;
  }

  const server = createServer((req, res) => {
    tsa.requests += 1;
    const { mode } = tsa;
    if (mode === 'down') return void res.destroy();
    if (mode === 'silent') return;
    if (mode === 'trickling') return sendSlowly(res);
    const pieces: Buffer[] = [];
    req.on('data', (piece: Buffer) => pieces.push(piece));
    req.on('end', () => {
      void createReply(Buffer.concat(pieces), mode).then((answer) =>
        res.writeHead(200, { 'Content-Type': 'application/timestamp-reply' }).end(answer),
      );
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const tsa: TestTsa = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/tsa`,
    ca: join(folder, 'ca.pem'),
    mode: 'up',
    requests: 0,
    hangUp: () => server.closeAllConnections(),
    stop: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
  return tsa;
}
