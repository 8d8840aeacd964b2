// Where the values of an action come from: the vectors of both SDKs.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { type Origins, OriginTracker } from '../../../../packages/sdk-typescript/src/origins.ts';
import { isObject, type Json } from '../../../../packages/sdk-typescript/src/json.ts';

interface Case {
  name: string;
  prompts: string[];
  results: [string, Json][];
  action: Json;
  origins: Origins;
}

const { origins: cases } = JSON.parse(readFileSync('test/vectors/sdk/origins.json', 'utf8')) as {
  origins: Case[];
};

test.each(cases)('$name', ({ origins, ...given }) => {
  const { prompts, results, action } = writeOut(given as unknown as Json) as unknown as Case;
  const tracker = new OriginTracker();
  for (const prompt of prompts) tracker.addPrompt(prompt);
  for (const [traceId, result] of results) tracker.addResult(traceId, result);
  expect(tracker.describe(action)).toEqual(origins);
});

/** Large values stand in short: a text or a value that is repeated, and texts one after the other. */
function writeOut(value: Json): Json {
  if (Array.isArray(value)) return value.map(writeOut);
  if (!isObject(value)) return value;
  const { $repeat: repeat, $times: times, $join: parts } = value;
  if (Array.isArray(repeat)) return String(repeat[0]).repeat(Number(repeat[1]));
  if (Array.isArray(times))
    return Array.from({ length: Number(times[1]) }, () => writeOut(times[0]!));
  if (Array.isArray(parts)) return parts.map(writeOut).join('');
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, writeOut(item)]));
}
