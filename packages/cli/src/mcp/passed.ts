// What came back of a call that was passed on to its server.
import type { Json, JsonObject } from '../../../sdk-typescript/src/json.ts';
import { toPlain } from './exact-json.ts';
import type { Outcome } from './messages.ts';

interface Given {
  outcome: Outcome;
  /** Gives the client what the server answered, as it is; absent: there is nothing to give. */
  relay?: () => void | Promise<void>;
  /** What the server answered; absent: nothing that can be read. */
  message?: JsonObject;
  /** What went wrong, where the client gets words of the proxy's own. */
  problem?: string;
}

export class Passed {
  readonly outcome: Outcome;
  readonly relay: Given['relay'];
  readonly problem: string;
  readonly #message: JsonObject | null;

  constructor({ outcome, relay, message, problem }: Given) {
    this.outcome = outcome;
    this.relay = relay;
    this.problem = problem ?? 'its answer was lost';
    this.#message = message ?? null;
  }

  /** What the digest of the result is taken of. */
  toJSON(): Json {
    return toPlain(this.#message);
  }
}

/** Tells the guard that the tool failed, or that nobody saw its end. */
export class Unsuccessful extends Error {
  readonly passed: Passed;

  constructor(passed: Passed) {
    super(passed.outcome === 'failed' ? 'The tool failed' : 'The end of the call was not seen');
    this.passed = passed;
    // By this name the guard tells a call whose end was not seen from one that failed.
    if (passed.outcome === 'unknown') this.name = 'AbortError';
  }
}
