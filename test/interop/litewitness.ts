// Runs litewitness, a witness by others, for one log: its key in an agent of its own, its log in its database.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import { formatVerifierKey, WITNESS_KEY } from '../../src/domain/log/signed-note.ts';

const runFile = promisify(execFile);
const EMPTY_ROOT = '47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=';
/** Length of the raw key at the end of an SSH public key. */
const KEY_BYTES = 32;

export interface Litewitness {
  vkey: string;
  url: string;
  stop(): void;
}

interface LitewitnessParts {
  program: string;
  folder: string;
  port: number;
  /** The log that it signs: origin and verifier key. */
  origin: string;
  logKey: string;
}

export async function startLitewitness(parts: LitewitnessParts): Promise<Litewitness> {
  const { program, folder, port, origin, logKey } = parts;
  const [key, socket, db] = ['key', 'agent.sock', 'witness.db'].map((name) => join(folder, name));
  await runFile('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', key!]);
  const { stdout: line } = await runFile('ssh-keygen', ['-l', '-f', `${key}.pub`]);
  const { stdout: shown } = await runFile('ssh-keygen', [
    '-e',
    '-m',
    'RFC4716',
    '-f',
    `${key}.pub`,
  ]);
  const encoded = shown
    .split('\n')
    .filter((text) => !/[-:]/.test(text))
    .join('');
  const publicKey = Buffer.from(encoded, 'base64').subarray(-KEY_BYTES);
  const agent = spawn('ssh-agent', ['-D', '-a', socket!], { stdio: 'ignore' });
  const env = { ...process.env, SSH_AUTH_SOCK: socket };
  await expect
    .poll(() =>
      runFile('ssh-add', [key!], { env }).then(
        () => true,
        () => false,
      ),
    )
    .toBe(true);
  const name = 'witness.example/lite';
  const listen = `127.0.0.1:${port}`;
  const fingerprint = line.split(' ')[1]!;
  const args = ['-db', db!, '-name', name, '-key', fingerprint, '-ssh-agent', socket!];
  const witness = spawn(program, [...args, '-listen', listen], { stdio: 'ignore' });
  const insert = `INSERT INTO log VALUES ('${origin}', 0, '${EMPTY_ROOT}'); INSERT INTO key VALUES ('${origin}', '${logKey}');`;
  await expect
    .poll(
      () =>
        runFile('sqlite3', [db!, insert]).then(
          () => true,
          () => false,
        ),
      { timeout: 10_000 },
    )
    .toBe(true);
  return {
    vkey: formatVerifierKey({ name, type: WITNESS_KEY, publicKey }),
    url: `http://${listen}`,
    stop: () => [witness, agent].forEach((child: ChildProcess) => child.kill()),
  };
}
