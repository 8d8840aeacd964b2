// Runs litewitness, a witness by others, as `witness/` does in a container.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { dirname, resolve } from 'node:path';
import { vi } from 'vitest';

const SCRIPT = resolve('witness/run-litewitness.sh');

export interface Litewitness {
  vkey: string;
  url: string;
  stop(): void;
}

interface LitewitnessParts {
  program: string;
  folder: string;
  port: number;
  /** Verifier key of the log that it signs. */
  logKey: string;
}

export async function startLitewitness(parts: LitewitnessParts): Promise<Litewitness> {
  const { program, folder, port, logKey } = parts;
  const listen = `127.0.0.1:${port}`;
  const witness = spawn(SCRIPT, {
    env: {
      ...process.env,
      PATH: `${dirname(program)}:${process.env.PATH}`,
      LOG_KEY: logKey,
      WITNESS_LISTEN: listen,
      WITNESS_FOLDER: folder,
    },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const url = `http://${listen}`;
  for await (const vkey of createInterface({ input: witness.stdout })) {
    await vi.waitUntil(() => isListening(url), { timeout: 20_000 });
    return { vkey, url, stop: () => void witness.kill() };
  }
  throw new Error('the witness ended before it showed its key');
}

const isListening = (url: string): Promise<boolean> =>
  fetch(url).then(
    () => true,
    () => false,
  );
