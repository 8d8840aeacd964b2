// Agents without keys: the token that the platform gives a workload is exchanged for a run token, and renewed in time.
import { Invalid, Unauthorised, Unavailable } from './errors.ts';
import type { Identity, IdentityService } from './options.ts';
import { limitTime } from './timers.ts';

export type { Identity } from './options.ts';

export interface IdentityOptions {
  /** What `aud` of the workload's token holds; default: the address of the service. */
  audience?: string;
}

interface RunToken {
  token: string;
  renewAt: number;
  endsAt: number;
}

const EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';
const JWT = 'urn:ietf:params:oauth:token-type:jwt';
/** Where the guide mounts a projected token of a service account. */
const KUBERNETES_FILE = '/var/run/secrets/assay/token';

/** An identity whose token a function reads, each time when a run token is due. */
export function token(
  read: (audience: string) => string | Promise<string>,
  { audience }: IdentityOptions = {},
): Identity {
  let run: RunToken | undefined;
  let renewing: Promise<RunToken> | undefined;
  const renew = async (service: IdentityService): Promise<RunToken> => {
    run = await exchange(service, await read(audience ?? service.url));
    return run;
  };
  return async (service) => {
    if (run && Date.now() < run.renewAt) return run.token;
    renewing ??= renew(service).finally(() => (renewing = undefined));
    try {
      return (await renewing).token;
    } catch (error) {
      // One that is still good is used as long as it is.
      if (run && Date.now() < run.endsAt) return run.token;
      throw error;
    }
  };
}

/** A token that the platform keeps in a file and renews. */
export function file(path: string): Identity {
  return token(async () => {
    const { readFile } = await import('node:fs/promises');
    return (await readFile(path, 'utf8')).trim();
  });
}

/** The projected token of a service account of Kubernetes. */
export const kubernetes = (path: string = KUBERNETES_FILE): Identity => file(path);

/** The token of a job of GitHub Actions with the permission `id-token: write`. */
export function github(options: IdentityOptions = {}): Identity {
  return token(async (audience) => {
    const { ACTIONS_ID_TOKEN_REQUEST_URL: url, ACTIONS_ID_TOKEN_REQUEST_TOKEN: bearer } =
      readEnvironment();
    if (url === undefined || bearer === undefined)
      throw new Invalid('The job lacks the permission `id-token: write`');
    const answer = await fetch(`${url}&audience=${encodeURIComponent(audience)}`, {
      headers: { authorization: `Bearer ${bearer}` },
    });
    const { value } = (await answer.json().catch(() => ({}))) as { value?: unknown };
    if (typeof value === 'string') return value;
    throw new Unavailable(`GitHub gives no token: status ${answer.status}`);
  }, options);
}

export interface SpiffeOptions extends IdentityOptions {
  /** Which of the workload's identities, where it has several; default: the first. */
  spiffeId?: string;
}

/**
 * A JWT-SVID of the Workload API of SPIFFE. `socket`: where it listens, `unix:///PATH` or `tcp://IP:PORT`; else
 * `SPIFFE_ENDPOINT_SOCKET`.
 */
export function spiffe(socket?: string, { spiffeId, ...options }: SpiffeOptions = {}): Identity {
  return token(async (audience) => {
    const address = socket ?? readEnvironment()['SPIFFE_ENDPOINT_SOCKET'];
    if (address === undefined)
      throw new Invalid('Name the socket of the Workload API, or set SPIFFE_ENDPOINT_SOCKET');
    const { fetchJwtSvid } = await import('./workload-api.ts');
    return fetchJwtSvid(address, { audience, spiffeId });
  }, options);
}

function readEnvironment(): Record<string, string | undefined> {
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } };
  return process?.env ?? {};
}

/** @throws Unauthorised for a refusal, Unavailable without an answer */
async function exchange(
  { url, agent, timeout, fetch }: IdentityService,
  subject: string,
): Promise<RunToken> {
  const form = new URLSearchParams({
    grant_type: EXCHANGE,
    audience: agent,
    subject_token: subject,
    subject_token_type: JWT,
  });
  const asked = Date.now();
  const send = (signal: AbortSignal): Promise<Response> =>
    fetch(`${url}/api/v1/auth/token`, { method: 'POST', body: form, redirect: 'manual', signal });
  const answer = await limitTime(timeout, undefined, send).catch((cause: unknown) => {
    throw new Unavailable('The service does not answer', {
      code: 'NO_ANSWER',
      isAway: true,
      cause,
    });
  });
  const body = (await answer.json().catch(() => ({}))) as Record<string, unknown>;
  const { access_token: run, expires_in: seconds } = body;
  if (answer.status === 200 && typeof run === 'string' && typeof seconds === 'number')
    return { token: run, renewAt: asked + (seconds * 2000) / 3, endsAt: asked + seconds * 1000 };
  const { error, error_description: why } = body;
  if (answer.status === 400 && typeof error === 'string')
    throw new Unauthorised(typeof why === 'string' ? why : error, { code: error, status: 400 });
  throw new Unavailable(`The service gives no run token: status ${answer.status}`, {
    status: answer.status,
  });
}
