// What the servers behind a proxy answered is where values of later calls come from; prompts it never sees.
import type { OriginKeeper } from '../../../sdk-typescript/src/index.ts';
import { isObject } from '../../../sdk-typescript/src/json.ts';
import { trackOrigins } from '../../../sdk-typescript/src/origins.ts';
import { Passed, Unsuccessful } from './passed.ts';

export function trackServerResults(): OriginKeeper {
  const { describe, addResult } = trackOrigins();
  return {
    describe,
    addResult: (context, traceId, result) => addResult(context, traceId, readAnswer(result)),
  };
}

/** The result of an answer, or its error. */
function readAnswer(given: unknown): unknown {
  const passed = given instanceof Unsuccessful ? given.passed : given;
  const message = passed instanceof Passed ? passed.toJSON() : passed;
  return isObject(message) ? (message.result ?? message.error ?? null) : null;
}
