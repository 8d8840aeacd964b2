// An authenticator for tests: enrols the second factor, and generates codes for the app's clock.
import { generateSync } from 'otplib';
import { assertOk } from './personas.ts';
import type { Answer, TestApp } from './start-app.ts';

const STEP_MS = 30_000;

/** A clock that tests move; codes of one step work once, so each new code costs a step. */
export class MovedClock {
  aheadMs = 0;
  now = (): Date => new Date(Date.now() + this.aheadMs);
}

export class Authenticator {
  readonly #clock: MovedClock;
  readonly secret: string;
  constructor(clock: MovedClock, secret: string) {
    this.#clock = clock;
    this.secret = secret;
  }

  /** The code of the present step. */
  code(): string {
    return generateSync({
      secret: this.secret,
      epoch: Math.floor(this.#clock.now().getTime() / 1000),
    });
  }

  /** The code of the next step, to which the clock moves. */
  generateNextCode(): string {
    this.#clock.aheadMs += STEP_MS;
    return this.code();
  }

  /** A code that is not accepted now. */
  generateWrongCode(): string {
    const near = [-1, 0, 1].map((step) => {
      const epoch = Math.floor((this.#clock.now().getTime() + step * STEP_MS) / 1000);
      return generateSync({ secret: this.secret, epoch });
    });
    return ['000000', '111111', '222222', '333333'].find((code) => !near.includes(code)) ?? '';
  }
}

/** Enrols the caller's second factor; `proof`: fresh proof of identity, required some time after the sign-in. */
export async function registerFactor(
  app: TestApp,
  clock: MovedClock,
  token: string,
  proof?: { password: string },
): Promise<Authenticator> {
  const postRequest = (path: string, body?: object): Promise<Answer> =>
    app.call('POST', `/api/v1/auth/mfa/${path}`, { token, ...(body && { body }) });
  const authenticator = new Authenticator(
    clock,
    assertOk(await postRequest('setup', proof)).body.data.secret,
  );
  assertOk(await postRequest('enable', { code: authenticator.code() }));
  return authenticator;
}
