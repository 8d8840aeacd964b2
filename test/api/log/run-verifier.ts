// Runs the stand-alone verifier as a process, like any reader of a bundle.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { inject } from 'vitest';

export function runVerifier(...args: string[]): Promise<{ status: number | null; output: string }> {
  const program = fileURLToPath(new URL('verify-bundle.mjs', inject('built')));
  const child = spawn(process.execPath, [program, ...args]);
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (piece: Buffer) => (output += piece.toString()));
  return new Promise((resolve) => child.on('close', (status) => resolve({ status, output })));
}
