// `npm test`: runs compiler, linter, formatter and tests. The last line counts passed and failed tests.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

const SUMMARY = /^(\d+) passed, (\d+) failed$/;

/** Runs a command and passes on its output line by line; resolves with its exit code. */
function runCommand(
  [program = '', ...args]: string[],
  onLine: (line: string) => void,
): Promise<number> {
  const env = { ...process.env, ...(process.stdout.isTTY && { FORCE_COLOR: '1' }) };
  const child = spawn(program, args, {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    shell: process.platform === 'win32',
  });
  for (const input of [child.stdout, child.stderr]) createInterface({ input }).on('line', onLine);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve(code ?? 1));
  });
}

const printLine = (line: string): void => void process.stdout.write(`${line}\n`);

let [passed, failed] = [0, 0];
const complaints: string[] = [];
const [tested, checked] = await Promise.all([
  runCommand(['vitest', 'run', ...process.argv.slice(2)], (line) => {
    const summary = SUMMARY.exec(line);
    if (summary) [passed, failed] = [Number(summary[1]), Number(summary[2])];
    else printLine(line);
  }),
  runCommand(['npm', 'run', '--silent', 'check'], (line) => complaints.push(line)),
]);
for (const line of complaints) printLine(line);
if (checked !== 0) printLine('`npm run check` failed: it counts as one test.');
if (tested !== 0) failed = Math.max(failed, 1);
printLine(`${passed} passed, ${failed + (checked === 0 ? 0 : 1)} failed`);
process.exitCode = tested === 0 && checked === 0 ? 0 : 1;
