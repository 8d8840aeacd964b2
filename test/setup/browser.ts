// A browser for tests: keeps cookies, follows no redirects, and reads how a sign-on ended.
import type { Answer, Call, TestApp } from './start-app.ts';

export class Browser {
  readonly #app: TestApp;
  readonly cookies = new Map<string, string>();
  /** Names of cookies that stay here when another site makes the browser send a form. */
  readonly #lax = new Set<string>();
  constructor(app: TestApp) {
    this.#app = app;
  }

  async call(method: string, path: string, call: Call = {}): Promise<Answer> {
    return this.#send(method, path, { call, cookies: [...this.cookies] });
  }

  async #send(
    method: string,
    path: string,
    { call, cookies }: { call: Call; cookies: [string, string][] },
  ): Promise<Answer> {
    const cookie = cookies.map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = { ...call.headers, ...(cookie !== '' && { cookie }) };
    const answer = await this.#app.call(method, path, { ...call, headers });
    for (const set of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
      if (value === '') this.cookies.delete(name);
      else this.cookies.set(name, value);
      if (/; SameSite=None/.test(set) && /; Secure/.test(set)) this.#lax.delete(name);
      else this.#lax.add(name);
    }
    return answer;
  }

  /** Sends a form, as a page of another site makes the browser do: only with the cookies that go along there. */
  postForm(path: string, members: Record<string, string>): Promise<Answer> {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const cookies = [...this.cookies].filter(([name]) => !this.#lax.has(name));
    const call = { raw: new URLSearchParams(members).toString(), headers };
    return this.#send('POST', path, { call, cookies });
  }

  /** Returns from a provider to a callback. */
  returnFromProvider(
    path: string,
    query: Record<string, string> | URLSearchParams,
  ): Promise<Answer> {
    return this.call('GET', `/api/v1/auth/${path}?${new URLSearchParams(query).toString()}`);
  }
}

/** Reads the value of a cookie that an answer sets; null if it sets none. */
export function readCookie(answer: Answer, name: string): string | null {
  const set = answer.headers.getSetCookie().find((text) => text.startsWith(`${name}=`));
  return set === undefined ? null : (/=([^;]*)/.exec(set)?.[1] ?? null) || null;
}

export const SESSION = 'svc_oauth_token';
export const TEMP_TOKEN = 'svc_sso_mfa_token';

/** Parses a redirect into its address and query. */
export function parseLanding({ status, headers }: Answer): {
  status: number;
  at: string | null;
  query: Record<string, string>;
} {
  const location = headers.get('location');
  if (location === null) return { status, at: null, query: {} };
  const { origin, pathname, searchParams } = new URL(location);
  return { status, at: origin + pathname, query: Object.fromEntries(searchParams) };
}
