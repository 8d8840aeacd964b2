// The vectors that every SDK runs: canonical texts, bindings, merge patches and shortened actions.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { shortenAction } from '../../../packages/sdk-typescript/src/large-arguments.ts';
import {
  canonicalize,
  computeCommitment,
  hashJson,
  mergePatch,
} from '../../../packages/sdk-typescript/src/index.ts';

const vectors = JSON.parse(readFileSync('test/vectors/sdk/sdk.json', 'utf8')) as {
  canonical: { value: never; text: string; sha256: string }[];
  bindings: { salt: string; action: never; rawActionDigest: string; commitment: string }[];
  patches: { target: never; patch: never; result: unknown }[];
  shortened: { texts: Record<string, [string, number]>; sha256: string }[];
};

test.each(vectors.canonical)('the canonical text $text', async ({ value, text, sha256 }) => {
  expect(canonicalize(value)).toBe(text);
  expect(await hashJson(value)).toBe(sha256);
});

test.each(vectors.bindings)('the binding $commitment', async ({ salt, action, ...expected }) => {
  const rawActionDigest = await hashJson(action);
  const commitment = await computeCommitment(salt, rawActionDigest);
  expect({ rawActionDigest, commitment }).toEqual(expected);
});

test.each(vectors.patches)('the patch $patch of $target', ({ target, patch, result }) => {
  expect(mergePatch(target, patch)).toEqual(result);
});

test.each(vectors.shortened)('the shortened $texts', async ({ texts, sha256 }) => {
  const entries = Object.entries(texts).map(([name, [text, count]]) => [name, text.repeat(count)]);
  const action = { tool: 'write', arguments: Object.fromEntries(entries) as never };
  expect(await hashJson(await shortenAction(action))).toBe(sha256);
});
