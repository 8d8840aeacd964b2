// Signs a person in without a browser here: the device authorization grant (RFC 8628).
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { isObject, type Json, type JsonObject } from '../../../sdk-typescript/src/json.ts';
import { CommandFailure, EXIT, toLine } from '../output.ts';

/** What the person needs to approve the sign-in, in any browser. */
export interface DeviceCode {
  userCode: string;
  /** Where the code is typed in. */
  page: string;
  /** The same page with the code filled in. */
  pageWithCode: string;
  minutes: number;
}

export interface SignIn {
  token: string;
  /** ISO 8601. */
  expiresAt: string;
}

interface DeviceFlow {
  url: string;
  show: (code: DeviceCode) => void;
  /** Waits between two questions; for tests. */
  pause?: (seconds: number) => Promise<void>;
}

const GRANT = 'urn:ietf:params:oauth:grant-type:device_code';
const TIMEOUT_MS = 10_000;
/** What section 3.5 asks for after `slow_down`. */
const SLOWER_SECONDS = 5;
/** What a client waits when the service names no interval (section 3.2). */
const INTERVAL_SECONDS = 5;

/** Resolves once a person has approved. @throws CommandFailure when it is denied, expires or cannot be asked for */
export async function signIn({ url, show, pause = waitSeconds }: DeviceFlow): Promise<SignIn> {
  const began = await sendForm(`${url}/api/v1/auth/device/code`, { client_id: describeClient() });
  if (began === null) throw new CommandFailure(`${url} does not answer: assay doctor says more`);
  const code = began.body.device_code;
  if (began.status !== 200 || typeof code !== 'string')
    throw new CommandFailure(`${url} begins no sign-in: ${describeAnswer(began)}`);
  show(readCode(began.body));
  let interval = readNumber(began.body.interval, INTERVAL_SECONDS);
  const lifetime = readNumber(began.body.expires_in, 600);
  const form = { grant_type: GRANT, device_code: code, client_id: 'assay' };
  for (let waited = 0; waited <= lifetime; waited += interval) {
    await pause(interval);
    const answer = await sendForm(`${url}/api/v1/auth/device/token`, form);
    // A service that is away for a moment, or too busy, is asked again, less often.
    if (answer === null || answer.status >= 429) interval *= 2;
    else if (answer.status === 200) {
      const found = readSignIn(answer.body);
      if (found) return found;
      // Somebody else's page: the service is asked again, as after an answer that was lost.
      interval *= 2;
    } else if (answer.body.error === 'slow_down') interval += SLOWER_SECONDS;
    else if (answer.body.error !== 'authorization_pending') throw createFailure(answer);
  }
  throw new CommandFailure('The code has expired: run assay login again');
}

interface Answer {
  status: number;
  body: JsonObject;
}

/** Sends a form; null: no answer. */
async function sendForm(url: string, form: Record<string, string>): Promise<Answer | null> {
  try {
    const answer = await fetch(url, {
      method: 'POST',
      body: new URLSearchParams(form),
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const body = (await answer.json().catch(() => null)) as Json;
    return { status: answer.status, body: isObject(body) ? body : {} };
  } catch {
    return null;
  }
}

function createFailure(answer: Answer): CommandFailure {
  const { error } = answer.body;
  if (error === 'access_denied')
    return new CommandFailure(
      'The sign-in was denied, or the session that allowed it has ended',
      EXIT.refused,
    );
  if (error === 'expired_token')
    return new CommandFailure('The code has expired: run assay login again');
  return new CommandFailure(`The sign-in ended: ${describeAnswer(answer)}`);
}

const describeAnswer = ({ status, body }: Answer): string =>
  `${status} ${toLine(body.error ?? '')}`.trim();

function readCode(body: JsonObject): DeviceCode {
  const page = toLine(body.verification_uri, 500);
  return {
    userCode: toLine(body.user_code, 40),
    page,
    pageWithCode: toLine(body.verification_uri_complete ?? page, 500),
    minutes: Math.round(readNumber(body.expires_in, 600) / 60),
  };
}

function readSignIn({ access_token: token, expires_in: seconds }: JsonObject): SignIn | null {
  if (typeof token !== 'string' || token === '') return null;
  const expiresAt = new Date(Date.now() + readNumber(seconds, 0) * 1000).toISOString();
  return { token, expiresAt };
}

const readNumber = (value: Json | undefined, otherwise: number): number =>
  typeof value === 'number' && value >= 0 ? value : otherwise;

const waitSeconds = (seconds: number): Promise<void> => sleep(seconds * 1000);

/** The name that the person sees beside the code. */
const describeClient = (): string => toLine(`assay on ${hostname()}`, 100);
