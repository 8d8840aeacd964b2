// `assay init`: puts Assay before what acts in a project. It shows every change, and writes none unasked.
import { existsSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { createInterface } from 'node:readline/promises';
import type { Command } from 'commander';
import { HOSTS } from '../hooks/answer-hook.ts';
import { type Change, type Plan, readFileOrNull, writeChange } from '../init/change.ts';
import { planHook, type Starter } from '../init/hook-files.ts';
import { planProxies } from '../init/mcp-files.ts';
import { type Framework, inspectProject, type Project } from '../init/project.ts';
import type { Io } from '../io.ts';
import { CommandFailure, EXIT, toLine } from '../output.ts';
import { isInstalled } from '../programs.ts';
import { type CommonOptions, openSession, type Session } from '../session.ts';

interface InitOptions extends CommonOptions {
  hook?: string[];
  yes?: boolean;
}

const ENVIRONMENT_FILE = '.env.assay';

export function addInitCommand(program: Command, io: Io): void {
  program
    .command('init')
    .description('put Assay before the agents of this project: variables, MCP servers, hooks')
    .option('--hook <host...>', `install the hook of ${Object.keys(HOSTS).join(', ')}`)
    .option('-y, --yes', 'write without asking')
    .action(async (_, command: Command) => {
      const options = command.optsWithGlobals<InitOptions>();
      const unknown = (options.hook ?? []).find((host) => !(host in HOSTS));
      if (unknown !== undefined)
        throw new CommandFailure(`--hook takes ${Object.keys(HOSTS).join(', ')}`);
      const session = await openSession(io, options);
      const folder = io.cwd;
      const project = await inspectProject(folder);
      const plan = await makePlan(folder, session, options.hook ?? []);
      const written = await writeChanges(plan, io, options);
      const { changes, notes } = plan;
      const report = { ...project, changes: changes.map(({ file, what }) => ({ file, what })) };
      session.output.print({ ...report, written, notes }, () =>
        [...renderProject(project, options), ...notes].join('\n'),
      );
      if (written.length < changes.length) io.exitCode = EXIT.unknown;
    });
}

async function makePlan(folder: string, session: Session, hosts: readonly string[]): Promise<Plan> {
  const starter = findStarter(session);
  const plans = [
    await planVariables(folder, session),
    await planProxies(folder, [...starter.words, ...starter.options]),
    ...(await Promise.all(hosts.map((host) => planHook(folder, host, starter)))),
  ];
  return {
    changes: plans.flatMap(({ changes }) => changes),
    notes: plans.flatMap(({ notes }) => notes),
  };
}

/** Assay of the project where it is installed, else this very program. */
function findStarter({ io, profileName: profile }: Session): Starter {
  const options = profile === 'default' ? [] : ['--profile', profile];
  const isPortable = isInstalled(io);
  const words = isPortable ? ['npx', '--no-install', 'assay'] : io.program;
  return { words, options, isPortable };
}

async function planVariables(folder: string, { profile }: Session): Promise<Plan> {
  const { url, key, agent } = profile;
  if (key === undefined)
    return { changes: [], notes: ['No API key is set yet: assay dev makes one, or set ASSAY_KEY'] };
  const lines = [`ASSAY_URL=${url}`, `ASSAY_KEY=${key}`];
  if (agent !== undefined) lines.push(`ASSAY_AGENT=${agent}`);
  const file = join(folder, ENVIRONMENT_FILE);
  const after = `${lines.join('\n')}\n`;
  const before = await readFileOrNull(file);
  const what = `${before === null ? 'write' : 'replace'} the variables that the SDKs read`;
  const changes: Change[] = before === after ? [] : [{ file, what, before, after, isSecret: true }];
  const ignore = await planIgnore(folder);
  return { changes: ignore ? [...changes, ignore] : changes, notes: [] };
}

/** Keeps the key out of the repository. */
async function planIgnore(folder: string): Promise<Change | null> {
  if (!existsSync(join(folder, '.git'))) return null;
  const file = join(folder, '.gitignore');
  const before = await readFileOrNull(file);
  const lines = (before ?? '').split('\n').map((line) => line.trim());
  if (lines.some((line) => [ENVIRONMENT_FILE, '.env*', '.env.*'].includes(line))) return null;
  const start =
    before === null || before === '' || before.endsWith('\n') ? (before ?? '') : `${before}\n`;
  const what = 'keep the key out of the repository';
  return { file, what, before, after: `${start}${ENVIRONMENT_FILE}\n` };
}

/** Shows the changes, asks, and writes. Returns the files that were written. */
async function writeChanges(
  { changes }: Plan,
  io: Io,
  { yes, json }: InitOptions,
): Promise<string[]> {
  const shown = changes.map(
    ({ file, what, before }) =>
      `  ${before === null ? 'new    ' : 'change '} ${toShown(io, file)}: ${what}`,
  );
  if (changes.length > 0 && !json) io.stderr.write(`${shown.join('\n')}\n`);
  if (changes.length === 0 || !(yes || (await askPerson(io)))) return [];
  const written: string[] = [];
  for (const change of changes) {
    if (!(await writeChange(change)))
      throw new CommandFailure(`${toShown(io, change.file)} has changed: run assay init again`);
    written.push(toShown(io, change.file));
  }
  return written;
}

/** Returns false without a terminal: nothing is written unasked. */
async function askPerson({ stdin, stderr }: Io): Promise<boolean> {
  if (!stdin.isTTY) {
    stderr.write('Nothing was written. assay init --yes writes it.\n');
    return false;
  }
  const terminal = createInterface({ input: stdin, output: stderr });
  try {
    return /^y(es)?$/i.test((await terminal.question('Write this? [y/N] ')).trim());
  } finally {
    terminal.close();
  }
}

const toShown = ({ cwd }: Io, file: string): string =>
  toLine(relative(cwd, file) || basename(file));

/** What to write into the agent's code, which is not touched. */
function renderProject(
  { languages, frameworks, hosts }: Project,
  { hook = [] }: InitOptions,
): string[] {
  const found = [...languages, ...new Set(frameworks.map(({ name }) => name))];
  const lines = [`Found: ${found.length === 0 ? 'no package of an agent' : found.join(', ')}.`];
  const missing = hosts.filter((host) => !hook.includes(host));
  if (missing.length > 0)
    lines.push(`For ${missing.join(', ')}: assay init --hook ${missing.join(' ')}`);
  else if (hook.length === 0)
    lines.push(`Coding agents: assay init --hook, with ${Object.keys(HOSTS).join(', ')}`);
  const packages = findPackages();
  if (languages.includes('typescript')) lines.push('', ...renderTypeScript(packages));
  if (languages.includes('python')) lines.push('', ...renderPython(packages));
  const guides = frameworks.map((one) => renderGuide(one, packages));
  return [...lines, ...(guides.length > 0 ? ['', ...guides] : [])];
}

/** The folder of the packages, in the checkout that this program is of; nothing is published on a registry. */
function findPackages(): string {
  for (let folder = import.meta.dirname; folder !== dirname(folder); folder = dirname(folder)) {
    const found = join(folder, 'packages');
    if (existsSync(join(found, 'sdk-typescript/package.json'))) return found;
  }
  return '~/assay/packages';
}

/** A word of a shell. */
const quoteWord = (text: string): string =>
  /^[\w@%+=:,./~-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;

function renderTypeScript(packages: string): string[] {
  const sdk = quoteWord(join(packages, 'sdk-typescript'));
  return [
    'In TypeScript, install the SDK in this folder:',
    `  node ${sdk}/build.mjs`,
    `  npm pack --silent --pack-destination . ${sdk}`,
    '  npm install ./assay-sdk-*.tgz',
    `Then one line a tool, in a module that node --env-file=${ENVIRONMENT_FILE} runs:`,
    "  import { Assay } from '@assay/sdk';",
    "  const issueRefund = new Assay().guard('issue_refund', yourFunction);",
  ];
}

function renderPython(packages: string): string[] {
  return [
    'In Python, install the SDK, best in an environment of the project:',
    `  python3 -m pip install ${quoteWord(join(packages, 'sdk-python'))}`,
    `Then one line a tool, in a program that has the variables of ${ENVIRONMENT_FILE}:`,
    '  from assay import Assay',
    '  issue_refund = Assay().guard(your_function, tool="issue_refund")',
  ];
}

const renderGuide = ({ name, language, package: from }: Framework, packages: string): string =>
  `${name} (${from}): the adapter is in ${join(packages, `sdk-${language}/README.md`)}`;
