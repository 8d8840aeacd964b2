// The vectors that every SDK runs: canonical texts, bindings, merge patches, keys, shortened actions and claims.
import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { HttpClient } from '../../../packages/sdk-typescript/src/http-client.ts';
import { shortenAction } from '../../../packages/sdk-typescript/src/large-arguments.ts';
import { Service } from '../../../packages/sdk-typescript/src/service.ts';
import {
  Assay,
  Blocked,
  canonicalize,
  computeCommitment,
  hashJson,
  mergePatch,
} from '../../../packages/sdk-typescript/src/index.ts';

const vectors = JSON.parse(readFileSync('test/vectors/sdk/sdk.json', 'utf8')) as {
  canonical: { value: never; text: string; sha256: string }[];
  bindings: { salt: string; action: never; rawActionDigest: string; commitment: string }[];
  patches: { target: never; patch: never; result: unknown }[];
  claims: {
    answers: { lost?: true; status?: number; code?: string }[];
    attempts: number;
    end: string;
  }[];
  keys: { agent: string; runId: string; callId: string; key: string }[];
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

test.each(vectors.keys)('the key of $callId in $runId', async ({ agent, runId, callId, key }) => {
  const keys: (string | null)[] = [];
  const fetch = (url: unknown, { headers }: RequestInit) => {
    if (String(url).endsWith('/auth/key'))
      return Promise.resolve(Response.json({ data: { agent: { _id: 'its-own' } } }));
    keys.push(new Headers(headers).get('idempotency-key'));
    const body = { success: false, code: 'SVC_BLOCKED_BY_POLICY' };
    return Promise.resolve(Response.json(body, { status: 403 }));
  };
  const named = agent === '' ? {} : { agent };
  const assay = new Assay({ url: 'http://127.0.0.1', key: 'key', ...named, fetch: fetch as never });
  const call = assay.guard('pay', () => 1, { context: { runId, callId } });
  await expect(call()).rejects.toBeInstanceOf(Blocked);
  expect(keys).toEqual([key]);
});

test.each(vectors.shortened)('the shortened $texts', async ({ texts, sha256 }) => {
  const entries = Object.entries(texts).map(([name, [text, count]]) => [name, text.repeat(count)]);
  const action = { tool: 'write', arguments: Object.fromEntries(entries) as never };
  expect(await hashJson(await shortenAction(action))).toBe(sha256);
});

// A pause between two attempts is chance: it takes no time here.
beforeEach(() => vi.spyOn(Math, 'random').mockReturnValue(0));
afterEach(() => vi.restoreAllMocks());

test.each(vectors.claims)('the claim answered $answers', async ({ answers, attempts, end }) => {
  const keys: (string | null)[] = [];
  const fetch = vi.fn((_url: unknown, { headers }: RequestInit) => {
    const { lost, status, code } = answers[keys.length]!;
    keys.push(new Headers(headers).get('idempotency-key'));
    if (lost) return Promise.reject(new TypeError('fetch failed'));
    const body = code ? { success: false, code } : { data: { executionId: '1' } };
    return Promise.resolve(Response.json(body, { status: status! }));
  });
  const url = 'http://127.0.0.1';
  const options = { url, key: 'key', token: undefined, timeout: 10_000 };
  const client = new HttpClient({ ...options, fetch: fetch as never });
  const claimed = new Service(client, url).claim('trc_1', { rawActionDigest: 'x' });
  const result = await claimed.catch((error: Error) => error.constructor.name);
  expect(result).toEqual(end === 'claimed' ? { executionId: '1', leaseUntil: null } : end);
  expect(keys).toHaveLength(attempts);
  expect(new Set(keys).size).toBe(1);
  expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/);
});
