// Builds the console in a process of its own where it is missing or older than its sources, while the server answers.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { isConsoleStale, ROOT } from './sources.ts';

/** Starts the build if there is something to build. `log` gets one line when it fails. */
export function buildStaleConsole(log: (line: string) => void): void {
  if (!isConsoleStale()) return;
  const script = join(ROOT, 'scripts/console/build.ts');
  const child = spawn(process.execPath, ['--import', 'tsx', script], {
    cwd: ROOT,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let complaint = '';
  child.stderr.on(
    'data',
    (piece: Buffer) => (complaint = (complaint + String(piece)).slice(-2000)),
  );
  child.once('close', (code) => {
    if (code !== 0) log(`the console could not be built: ${complaint.trim() || `exit ${code}`}`);
  });
  // It ends by itself; the server need not wait for it.
  child.unref();
}
