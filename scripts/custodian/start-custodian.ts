// Keeps the keys of epochs for the Assay of another party, destroys them, and signs that it did (keys-and-backups.md).
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { formatVerifierKey, LOG_KEY } from '@assay/tlog';
import { createFileCustodian } from '../../src/platform/custodian/file-custodian.ts';
import { createCustodianServer } from '../../src/platform/custodian/peer/custodian-server.ts';
import { readCommandLine } from '../command-line.ts';

const USAGE = `Usage: npm run custodian -- --folder FOLDER --token-file FILE --name HOST [options]

Keeps the keys of epochs for one installation of Assay that another party runs.

  --folder FOLDER    where the keys are; leave it out of every backup
  --token-file FILE  holds the token that the installation proves itself by: 32 characters or more
  --name HOST        host, and port if there is one, of the address at which the installation reaches it: its statements
                     are signed as HOST/custodian
  --host ADDRESS     default: 127.0.0.1, behind a proxy that ends TLS
  --port PORT        default: 3300; 0: any`;

const TOKEN_LENGTH = 32;
const PORT_MAX = 65_535;

interface Options {
  folder: string;
  token: string;
  name: string;
  host: string;
  port: number;
}

function readToken(path: string): string {
  const token = readFileSync(path, 'utf8').trim();
  if (token.length < TOKEN_LENGTH)
    throw new Error(`--token-file: the token must have ${TOKEN_LENGTH} characters or more`);
  return token;
}

function readOptions(): Options {
  return readCommandLine({
    usage: USAGE,
    options: {
      folder: { type: 'string' },
      'token-file': { type: 'string' },
      name: { type: 'string' },
      host: { type: 'string', default: '127.0.0.1' },
      port: { type: 'string', default: '3300' },
    },
    read: ({ values, positionals }) => {
      const { folder, 'token-file': tokenFile, name, host, port } = values;
      if (positionals.length > 0) throw new Error(`give options only, not ${positionals[0]}`);
      if (!folder || !tokenFile || !name) throw new Error('give --folder, --token-file and --name');
      if (!/^[\w.:[\]-]{1,255}$/.test(name)) throw new Error('--name: give a host');
      if (!/^\d{1,5}$/.test(port) || Number(port) > PORT_MAX)
        throw new Error(`--port: give a number up to ${PORT_MAX}`);
      return { folder, token: readToken(tokenFile), name, host, port: Number(port) };
    },
  });
}

const printLine = (line: object): void => void process.stdout.write(`${JSON.stringify(line)}\n`);

const { folder, token, name, host, port } = readOptions();
const kept = createFileCustodian(folder);
const { publicKey } = await kept.loadSigner();
const verifierKey = formatVerifierKey({ name: `${name}/custodian`, type: LOG_KEY, publicKey });
const server = createCustodianServer({
  kept,
  token,
  now: () => new Date(),
  note: printLine,
});
server.listen(port, host, () => {
  const { port: taken } = server.address() as AddressInfo;
  printLine({ listening: `http://${host}:${taken}`, verifierKey });
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => server.close());
