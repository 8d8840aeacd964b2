// The vectors that every SDK runs: canonical texts, bindings, merge patches, keys, shortened actions and claims.
import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { HttpClient } from '../../../packages/sdk-typescript/src/http-client.ts';
import {
  type Action,
  type GivenCall,
  nameAction,
  type Way,
} from '../../../packages/sdk-typescript/src/action-names.ts';
import { isObject } from '../../../packages/sdk-typescript/src/json.ts';
import { shortenAction } from '../../../packages/sdk-typescript/src/large-arguments.ts';
import { assertBound, Service } from '../../../packages/sdk-typescript/src/service.ts';
import {
  Assay,
  type AssayError,
  Blocked,
  canonicalize,
  computeCommitment,
  hashJson,
  type Json,
  mergePatch,
  Unavailable,
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
  references: { name: string; arguments: Json; sha256: string; shortened?: object }[];
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
      return Promise.resolve(Response.json({ success: true, data: { agent: { _id: 'its-own' } } }));
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

/** `{ repeat, times }` stands for a text or an item that is repeated. */
function expand(value: Json): Json {
  if (Array.isArray(value)) return value.map(expand);
  if (!isObject(value)) return value;
  const { repeat, times } = value;
  if (repeat === undefined || typeof times !== 'number')
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, expand(item)]));
  if (typeof repeat === 'string') return repeat.repeat(times);
  return Array.from({ length: times }, () => expand(repeat));
}

test.each(vectors.references)(
  'the references in $name',
  async ({ arguments: args, sha256, shortened }) => {
    const short = await shortenAction({ tool: 'write', arguments: expand(args) });
    if (shortened) expect(short).toEqual(shortened);
    expect(await hashJson(short)).toBe(sha256);
  },
);

// A pause between two attempts is chance: it takes no time here.
beforeEach(() => vi.spyOn(Math, 'random').mockReturnValue(0));
afterEach(() => vi.restoreAllMocks());

test.each(vectors.claims)('the claim answered $answers', async ({ answers, attempts, end }) => {
  const keys: (string | null)[] = [];
  const fetch = vi.fn((_url: unknown, { headers }: RequestInit) => {
    const { lost, status, code } = answers[keys.length]!;
    keys.push(new Headers(headers).get('idempotency-key'));
    if (lost) return Promise.reject(new TypeError('fetch failed'));
    const body = code
      ? { success: false, code }
      : { success: true, data: { traceId: 'trc_1', executionId: '1' } };
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

interface Answer {
  status: number;
  headers?: Record<string, string>;
  body?: unknown;
  text?: string;
  /** No answer. */
  lost?: true;
  /** The head arrived, and half of the body. */
  cut?: true;
}
interface AnswerVector {
  name: string;
  answer: Answer;
  end: string;
  code?: string;
  isAway?: boolean;
}

const answers = JSON.parse(readFileSync('test/vectors/sdk/answers.json', 'utf8')) as {
  action: never;
} & Record<'proposals' | 'verdicts' | 'claims' | 'outcomes' | 'withdrawals', AnswerVector[]>;

/** A service that gives this answer to everything. */
function createService({ status, headers = {}, body, text, lost, cut }: Answer): Service {
  const content = text ?? (body === undefined ? '' : JSON.stringify(body));
  const halves = [content.slice(0, content.length / 2), content.slice(content.length / 2)];
  const fetch = (): Promise<Response> => {
    if (lost) return Promise.reject(new TypeError('fetch failed'));
    const stream = new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode(halves[0]));
        if (cut) return controller.error(new TypeError('terminated'));
        controller.enqueue(new TextEncoder().encode(halves[1]));
        controller.close();
      },
    });
    return Promise.resolve(
      new Response([204, 304].includes(status) ? null : stream, { status, headers }),
    );
  };
  const url = 'http://127.0.0.1';
  const options = { url, key: 'key', token: undefined, timeout: 10_000 };
  return new Service(new HttpClient({ ...options, fetch: fetch as never }), url);
}

/** What a client takes the answer for, as the vectors say it. */
async function takeFor(asked: Promise<string>): Promise<object> {
  try {
    return { end: await asked };
  } catch (error) {
    const { constructor, code } = error as AssayError;
    const isAway = error instanceof Unavailable ? { isAway: error.isAway } : {};
    return { end: constructor.name, code, ...isAway };
  }
}

function testAnswers(group: keyof typeof answers, ask: (service: Service) => Promise<string>) {
  test.each(answers[group] as AnswerVector[])(
    `the answer to ${group}: $name`,
    async ({ name: _, answer, ...expected }) => {
      expect(await takeFor(ask(createService(answer)))).toEqual(expected);
    },
  );
}

testAnswers('proposals', async (service) => {
  const proposal = await service.propose({}, 'key');
  await assertBound(proposal, await hashJson(answers.action));
  expect(proposal.traceId).toBe('trc_1');
  return proposal.verdict;
});
testAnswers('verdicts', async (service) => (await service.awaitVerdict('trc_1', 0)).status);
testAnswers('claims', async (service) => {
  expect((await service.claim('trc_1', {})).executionId).toBe('exe_1');
  return 'claimed';
});
testAnswers('outcomes', async (service) => {
  await service.report('trc_1', 'exe_1', { outcome: 'succeeded' });
  return 'recorded';
});
testAnswers('withdrawals', async (service) =>
  (await service.withdraw('trc_1')) ? 'withdrawn' : 'decided',
);

const { names } = JSON.parse(readFileSync('test/vectors/sdk/names.json', 'utf8')) as {
  names: (GivenCall & { from: Way; action: Action })[];
};

test.each(names)('the name of $name from $from', ({ from, action, ...given }) => {
  expect(nameAction(from, given)).toEqual(action);
});
