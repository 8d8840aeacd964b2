// `assay doctor`: whether an agent could work with the service from here, one line a check.
import type { Command } from 'commander';
import { Assay, type JsonObject, webhooks } from '../../../sdk-typescript/src/index.ts';
import type { Io } from '../io.ts';
import { EXIT, toLine } from '../output.ts';
import { openSession, type Session } from '../session.ts';

interface Check {
  name: string;
  /** null: it does not apply. */
  ok: boolean | null;
  detail: string;
}

const SKEW_MAX_MS = 60_000;
const TIMEOUT_MS = 5_000;

export function addDoctorCommand(program: Command, io: Io): void {
  program
    .command('doctor')
    .description('check reach, clock, key, session, stream, webhooks and console')
    .action(async (_, command: Command) => {
      const session = await openSession(io, command.optsWithGlobals());
      const checks = await runChecks(session);
      const ok = checks.every((check) => check.ok !== false);
      session.output.print({ ok, url: session.profile.url, checks }, () =>
        checks.map(renderCheck).join('\n'),
      );
      if (!ok) io.exitCode = EXIT.refused;
    });
}

const MARKS = new Map([
  [true, 'ok'],
  [false, 'NO'],
  [null, '-'],
]);

const renderCheck = ({ name, ok, detail }: Check): string =>
  `${MARKS.get(ok)?.padEnd(4)}${name.padEnd(12)}${toLine(detail, 120)}`;

async function runChecks({ profile }: Session): Promise<Check[]> {
  const { url, key, token } = profile;
  const reach = await check('reach', () => checkReach(url));
  if (reach.ok !== true) return [reach];
  const client = new Assay({ url, ...(key && { key }), ...(token && !key && { token }) });
  return [
    reach,
    await check('clock', () => checkClock(url)),
    ...(key ? await checkKey(client) : [skip('key', 'none is set: ASSAY_KEY')]),
    token
      ? await check('session', () => checkSession(url, token))
      : skip('session', 'none: assay login'),
    token
      ? await check('stream', () => checkStream(url, token))
      : skip('stream', 'it needs a session'),
    await check('webhooks', checkSignature),
    await check('otlp', () => checkAnswer(`${url}/v1/traces`, 'POST', [400, 401, 415])),
    await check('console', () => checkAnswer(`${url}/console`, 'GET', [200, 302, 304])),
  ];
}

async function check(name: string, run: () => Promise<string>): Promise<Check> {
  try {
    return { name, ok: true, detail: await run() };
  } catch (error) {
    return { name, ok: false, detail: (error as Error).message };
  }
}

const skip = (name: string, detail: string): Check => ({ name, ok: null, detail });

const request = (url: string, init: RequestInit = {}): Promise<Response> =>
  fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(TIMEOUT_MS), ...init });

async function checkReach(url: string): Promise<string> {
  const answer = await request(`${url}/ready`);
  await answer.body?.cancel();
  if (!answer.ok) throw new Error(`${url}/ready answers ${answer.status}`);
  return url;
}

async function checkClock(url: string): Promise<string> {
  const began = Date.now();
  const answer = await request(`${url}/health`);
  await answer.body?.cancel();
  const theirs = Date.parse(answer.headers.get('date') ?? '');
  const off = theirs - (began + Date.now()) / 2;
  if (Number.isNaN(off)) throw new Error('the service does not say what time it is');
  if (Math.abs(off) > SKEW_MAX_MS)
    throw new Error(`this clock is off by ${Math.round(off / 1000)} s: signatures will be refused`);
  return `off by less than ${Math.ceil(Math.abs(off) / 1000) + 1} s`;
}

/** What the service knows the key by: of a run token one line for the workload, and one for each whom it acts for. */
async function checkKey(client: Assay): Promise<Check[]> {
  let run: JsonObject | undefined;
  const key = await check('key', async () => {
    const { data } = await client.send('GET', '/api/v1/auth/key');
    const agent = data.agent as JsonObject | null;
    const scope = data.scope as JsonObject;
    run = data.run as JsonObject | undefined;
    if (run) return `run token of ${String(agent?.name)}, until ${String(run.expiresAt)}`;
    return `${String(data.kind)}${agent ? ` of ${String(agent.name)}` : ''}, ${scope.readOnly === true ? 'reads only' : 'posts decisions'}, plan ${String(data.plan)}`;
  });
  return run ? [key, ...listIdentities(run)] : [key];
}

/** On whose behalf a run token acts, the nearest first. */
function listIdentities({ workload, chain }: JsonObject): Check[] {
  const { subject, issuer } = workload as JsonObject;
  const members = chain as { type: string; id: string; issuer: string }[];
  const behalf = members.map((member) => `${member.type} ${member.id}, known by ${member.issuer}`);
  return [
    { name: 'workload', ok: true, detail: `${String(subject)}, known by ${String(issuer)}` },
    ...(behalf.length > 0 ? behalf : ['itself']).map((detail) => ({
      name: 'acts for',
      ok: true,
      detail,
    })),
  ];
}

async function checkSession(url: string, token: string): Promise<string> {
  const { data } = await new Assay({ url, token }).send('GET', '/api/v1/auth/me');
  const user = (data.user ?? data) as JsonObject;
  return String(user.email ?? user.name ?? 'signed in');
}

async function checkStream(url: string, token: string): Promise<string> {
  const answer = await request(`${url}/api/v1/traces/stream`, {
    headers: { authorization: `Bearer ${token}` },
  });
  await answer.body?.cancel();
  if (!answer.ok) throw new Error(`the stream answers ${answer.status}`);
  return 'opens';
}

/** A signature made and checked here: the clock and the runtime are fit for webhooks. */
async function checkSignature(): Promise<string> {
  const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
  const timestamp = String(Math.floor(Date.now() / 1000));
  const body = '{"event":"test","timestamp":"","data":{}}';
  const key = await crypto.subtle.importKey(
    'raw',
    Buffer.from(secret.slice(6), 'base64'),
    { name: 'HMAC', hash: 'SHA-256' },
    false,
    ['sign'],
  );
  const signature = await crypto.subtle.sign(
    'HMAC',
    key,
    Buffer.from(`msg_1.${timestamp}.${body}`),
  );
  const headers = {
    'webhook-id': 'msg_1',
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${Buffer.from(signature).toString('base64')}`,
  };
  await webhooks.verify(body, headers, secret);
  return 'signatures can be checked';
}

async function checkAnswer(
  url: string,
  method: string,
  expected: readonly number[],
): Promise<string> {
  const answer = await request(url, { method });
  await answer.body?.cancel();
  if (!expected.includes(answer.status))
    throw new Error(`${new URL(url).pathname} answers ${answer.status}`);
  return `${new URL(url).pathname} is there`;
}
