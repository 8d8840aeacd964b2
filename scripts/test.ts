// `npm test`: runs linter, formatter and tests, and the compiler on what is not committed. The last line counts passed and failed tests.
import { execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';

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

/** Sources that differ from the last commit; none without a repository. */
async function listChanged(): Promise<string[]> {
  const list = async (...args: string[]): Promise<string[]> => {
    const { stdout } = await promisify(execFile)('git', [...args, '-z']);
    return stdout.split('\0');
  };
  const found = await Promise.all([
    list('diff', 'HEAD', '--name-only', '--relative'),
    list('ls-files', '--others', '--exclude-standard'),
  ]).catch(() => []);
  return found.flat().filter((file) => /\.tsx?$/.test(file) && existsSync(file));
}

/** Commands that take seconds. `npm run check` reads the types of everything. */
async function listChecks(): Promise<string[][]> {
  const quick = [['oxlint'], ['oxfmt', '--check']];
  const changed = await listChanged();
  if (changed.length === 0) return quick;
  const typed = ['oxlint', '--type-aware', '--type-check', ...changed];
  const isOfConsole = changed.some((file) => file.startsWith('console/'));
  const made = isOfConsole ? [['npm', 'run', '--silent', 'types', '-w', 'console']] : [];
  return [...quick, ...made, typed];
}

const complaints: string[] = [];
async function runChecks(): Promise<number> {
  let failed = 0;
  for (const command of await listChecks())
    if ((await runCommand(command, (line) => complaints.push(line))) !== 0) failed = 1;
  return failed;
}

const printLine = (line: string): void => void process.stdout.write(`${line}\n`);

let [passed, failed] = [0, 0];
const [tested, checked] = await Promise.all([
  runCommand(['vitest', 'run', ...process.argv.slice(2)], (line) => {
    const summary = SUMMARY.exec(line);
    if (summary) [passed, failed] = [Number(summary[1]), Number(summary[2])];
    else printLine(line);
  }),
  runChecks(),
]);
for (const line of complaints) printLine(line);
if (checked !== 0)
  printLine('The quick check failed: it counts as one test. `npm run check` does all of it.');
if (tested !== 0) failed = Math.max(failed, 1);
printLine(`${passed} passed, ${failed + checked} failed`);
process.exitCode = tested === 0 && checked === 0 ? 0 : 1;
