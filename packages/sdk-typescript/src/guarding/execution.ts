// One run of an approved call: in its context, followed to its end, and reported.
import type { Call } from './call.ts';
import { runInContext } from '../context.ts';
import { hashJson } from '../digest.ts';
import { followResult } from './endings.ts';
import { AssayError, Invalid } from '../errors.ts';
import { isAmount } from '../answers.ts';
import { isObject, toJson } from '../json.ts';
import type { Claimed, OutcomeSender } from './outcomes.ts';
import type { Outcome } from '../service.ts';
import { isEndUnseen } from './unseen-end.ts';

const SUMMARY_CHARACTERS = 500;

export class Execution {
  readonly #call: Call;
  readonly #decision: { traceId: string } | Claimed;
  readonly #outcomes: OutcomeSender | null;
  readonly #began = performance.now();

  /** @param outcomes null: nothing was claimed, so that there is nothing to report */
  constructor(call: Call, decision: { traceId: string } | Claimed, outcomes: OutcomeSender | null) {
    this.#call = call;
    this.#decision = decision;
    this.#outcomes = outcomes;
  }

  /** Runs the call, after a last look. Its result and its error pass through unchanged. */
  async run(args: unknown[], check: () => void = () => undefined): Promise<unknown> {
    try {
      check();
    } catch (error) {
      await this.#report('failed');
      throw error;
    }
    const inContext = <T>(step: () => T): T =>
      runInContext(
        { parentTraceId: this.#decision.traceId, signal: this.#call.context.signal },
        step,
      );
    let result: unknown;
    try {
      result = await inContext(async () => this.#call.run(args));
    } catch (error) {
      await this.#report(this.#judge(error));
      throw error;
    }
    const followed = followResult(result, {
      run: inContext,
      end: (outcome) =>
        this.#report(typeof outcome === 'object' ? this.#judge(outcome.error) : outcome),
    });
    if (followed !== undefined) return followed;
    const isFailure = isObject(result) && result.isError === true;
    await this.#report(isFailure ? 'failed' : 'succeeded', result);
    return result;
  }

  #judge(error: unknown): Outcome['outcome'] {
    const { options, context } = this.#call;
    if (context.signal?.aborted === true || isEndUnseen(error)) return 'unknown';
    return options.judgeError?.(error) ?? 'failed';
  }

  async #report(outcome: Outcome['outcome'], ...results: unknown[]): Promise<void> {
    this.#call.end?.();
    if (!this.#outcomes || !('executionId' in this.#decision)) return;
    const durationMs = Math.round(performance.now() - this.#began);
    const described = results.length === 0 ? {} : await this.#describeResult(results[0]);
    const used = outcome === 'succeeded' ? this.#readUsed(results[0]) : {};
    await this.#outcomes.send(this.#decision, { outcome, durationMs, ...described, ...used });
  }

  /** What a call used in fact; where that cannot be read, what was reserved counts. */
  #readUsed(result: unknown): Pick<Outcome, 'used'> {
    try {
      const { amount, tokens } = this.#call.options.used?.(result) ?? {};
      const used = Object.entries({ amount, tokens }).filter(([, value]) => value !== undefined);
      if (!used.every(([, value]) => isAmount(value)))
        throw new Invalid('used: amount and tokens are finite numbers from 0 on');
      return used.length > 0 ? { used: Object.fromEntries(used) } : {};
    } catch (error) {
      this.#outcomes?.tell(error);
      return {};
    }
  }

  async #describeResult(result: unknown): Promise<Partial<Outcome>> {
    try {
      const json = toJson(result ?? null);
      const resultDigest = await hashJson(json);
      if (this.#call.options.summary !== true) return { resultDigest };
      const text = typeof json === 'string' ? json : JSON.stringify(json);
      return { resultDigest, summary: text.slice(0, SUMMARY_CHARACTERS) };
    } catch (error) {
      // What is no JSON has no digest.
      if (error instanceof AssayError) return {};
      throw error;
    }
  }
}
