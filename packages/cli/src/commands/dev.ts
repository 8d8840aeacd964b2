// `assay dev`: a service on this machine, with an owner, an agent's key and four policies, ready for the first decision.
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import { Assay } from '../../../sdk-typescript/src/index.ts';
import type { Io } from '../io.ts';
import { CommandFailure } from '../output.ts';
import { findStateFolder, type Profile, readProfile, writeProfile } from '../profile.ts';
import { findProgram, isInstalled } from '../programs.ts';
import { type CommonOptions, openSession, type Session } from '../session.ts';

const SERVICE = { built: 'start.js', source: 'scripts/start.ts' };
const READY_WITHIN_MS = 180_000;
const TEMPLATES = ['money-out', 'irreversible-actions', 'external-email'];
/** Shell commands that cannot be taken back. */
export const DESTRUCTIVE = {
  name: 'Destructive commands',
  description: 'Holds shell commands that delete recursively, or rewrite what others have.',
  conditions: [
    { field: 'outputDecision.action.tool', operator: 'equals', value: 'shell' },
    {
      field: 'outputDecision.action.arguments.command',
      operator: 'regex',
      value:
        '\\brm\\b[^;&|\\n]*\\s(-[a-zA-Z]*[rRf][a-zA-Z]*|--recursive|--force)\\b|\\bgit\\b[^;&|\\n]*\\bpush\\b[^;&|\\n]*\\s(--force|--mirror|--delete|-[a-zA-Z]*[fd]|\\+\\S)',
    },
  ],
  actions: [{ type: 'flag_for_review', config: { reason: 'The command cannot be taken back' } }],
};
const ENVIRONMENT_FILE = '.env.assay';

interface DevOptions extends CommonOptions {
  port: string;
  once?: boolean;
}

export function addDevCommand(program: Command, io: Io): void {
  program
    .command('dev')
    .description('start a service here, with an owner, a key and four policies')
    .option('--port <number>', 'port of the service', io.env.PORT ?? '3000')
    .option('--once', 'set up, then stop the service')
    .action(async (_, command: Command) => {
      const options = command.optsWithGlobals<DevOptions>();
      const url = options.url ?? `http://127.0.0.1:${options.port}`;
      const session = await openSession(io, { ...options, url });
      const isRunning = await isReady(url);
      // Account, session and key of this folder are for a service of one's own alone.
      if (isRunning && !(await isOwn(io, url)))
        throw new CommandFailure(
          `${url} is taken by a service that assay dev did not start: choose another --port, or assay --url ${url} login`,
        );
      const service = isRunning ? null : await startService(io, options.port);
      const stop = (): void => void service?.kill('SIGTERM');
      io.onStop(stop);
      try {
        await untilReady(url, service);
        if (service) await claimAddress(io, url);
        const made = await prepare(session, url);
        session.output.print(made, () => renderWelcome(made, io));
        if (options.once) stop();
        if (service) await once(service, 'exit');
      } finally {
        stop();
        if (service) await rm(toOwnFile(io, url), { force: true });
      }
    });
}

/** Names the process of `assay dev` that started what answers under an address, as long as it runs. */
const toOwnFile = ({ env }: Io, url: string): string =>
  join(findStateFolder(env), `dev-${new URL(url).host.replace(/[^\w.-]/g, '_')}.json`);

async function claimAddress(io: Io, url: string): Promise<void> {
  await mkdir(findStateFolder(io.env), { recursive: true, mode: 0o700 });
  await writeFile(toOwnFile(io, url), JSON.stringify({ pid: process.pid }), { mode: 0o600 });
}

/** Whether a process of this user has started the service, and still runs. */
async function isOwn(io: Io, url: string): Promise<boolean> {
  try {
    const { pid } = JSON.parse(await readFile(toOwnFile(io, url), 'utf8')) as { pid?: unknown };
    return Number.isInteger(pid) && Number(pid) > 0 && process.kill(Number(pid), 0);
  } catch {
    return false;
  }
}

/** Starts the service in the checkout, or in the folder of what is kept for this user. */
async function startService({ env }: Io, port: string): Promise<ChildProcess> {
  const { npm_lifecycle_event: _, ...environment } = env;
  const { words, checkout } = findProgram(SERVICE);
  const cwd = checkout ?? join(findStateFolder(env), 'dev');
  await mkdir(cwd, { recursive: true, mode: 0o700 });
  return spawn(process.execPath, ['--max-semi-space-size=128', ...words], {
    cwd,
    env: { ...environment, PORT: port },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

async function isReady(url: string): Promise<boolean> {
  const answer = await fetch(`${url}/ready`).catch(() => null);
  await answer?.body?.cancel();
  return answer?.ok === true;
}

async function untilReady(url: string, service: ChildProcess | null): Promise<void> {
  const deadline = Date.now() + READY_WITHIN_MS;
  while (!(await isReady(url))) {
    if (service && service.exitCode !== null)
      throw new CommandFailure('The service did not start; its log says why');
    if (Date.now() > deadline)
      throw new CommandFailure(`${url} was not ready within three minutes`);
    await sleep(200);
  }
  if (service && service.exitCode !== null)
    throw new CommandFailure(`${url} is answered by another service`);
}

interface Made {
  url: string;
  email: string;
  password: string | null;
  agent: string;
  environmentFile: string;
}

/** Makes owner, agent and policies once; a second start finds them in the profile. */
async function prepare({ io, profileName }: Session, url: string): Promise<Made> {
  const stored = await readProfile(io.env, profileName, url);
  const isKnown = stored.url === url && (await mayUse(stored));
  const account = isKnown ? { email: '', password: null } : createAccount();
  const profile = isKnown ? stored : await register(url, account);
  if (!isKnown) await writeProfile(io.env, profileName, profile);
  const { agent = '' } = profile;
  await writeEnvironment(join(io.cwd, ENVIRONMENT_FILE), profile);
  return { url, ...account, agent, environmentFile: ENVIRONMENT_FILE };
}

function createAccount(): { email: string; password: string } {
  const email = `dev-${randomBytes(4).toString('hex')}@example.com`;
  return { email, password: `Dev-${randomBytes(9).toString('base64url')}-1` };
}

/** Registers the account with an organisation of its name, an agent and the policies. */
async function register(
  url: string,
  { email, password }: { email: string; password: string | null },
): Promise<Profile> {
  const [organizationName] = email.split('@');
  const account = { name: 'Developer', email, password, organizationName: organizationName! };
  const registered = await new Assay({ url }).send('POST', '/api/v1/auth/register', {
    body: account,
  });
  const token = String(registered.data.token);
  const owner = new Assay({ url, token });
  const { data: agent } = await owner.send('POST', '/api/v1/agents', {
    body: { name: 'dev-agent' },
  });
  for (const templateId of TEMPLATES)
    await owner.send('POST', '/api/v1/policies/from-template', { body: { templateId } });
  await owner.send('POST', '/api/v1/policies', { body: DESTRUCTIVE });
  return { url, token, key: String(agent.apiKey), agent: String(agent._id) };
}

async function mayUse({ url, token, key }: Profile): Promise<boolean> {
  if (token === undefined || key === undefined) return false;
  const [person, agent] = [new Assay({ url, token }), new Assay({ url, key })];
  const answers = await Promise.allSettled([
    person.send('GET', '/api/v1/auth/me'),
    agent.send('GET', '/api/v1/auth/key'),
  ]);
  return answers.every(({ status }) => status === 'fulfilled');
}

/** Writes the variables that SDKs read, next to the agent's code. */
async function writeEnvironment(file: string, profile: Profile): Promise<void> {
  const { url, key = '', agent = '' } = profile;
  const text = `ASSAY_URL=${url}\nASSAY_KEY=${key}\nASSAY_AGENT=${agent}\n`;
  const kept = await readFile(file, 'utf8').catch(() => null);
  if (kept !== text) await writeFile(file, text, { mode: 0o600 });
  await chmod(file, 0o600);
}

function renderWelcome({ url, email, password, environmentFile }: Made, io: Io): string {
  const assay = isInstalled(io) ? 'npx assay' : io.program.join(' ');
  const account = password === null ? 'as before' : `${email}  ${password}`;
  return `
  Assay      ${url}
  Console    ${url}/console
  Account    ${account}
  Variables  ${environmentFile} (ASSAY_URL, ASSAY_KEY, ASSAY_AGENT)

  Put it before an MCP server:  ${assay} mcp-proxy -- <command>
  Ask for one action:           echo '{"tool":"issue_refund","amount":900}' | ${assay} decide -
  Decide:                       ${assay} review
`;
}
