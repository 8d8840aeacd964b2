// Payloads: their vectors, the closed set of members, and the absence of free text in clear.
import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { findViewFault } from '@assay/verifier';
import { canonicalize, type Json, type JsonObject } from '@assay/json';
import { computePayloadDigest } from '../../../src/domain/record/chain.ts';
import * as payloads from '../../../src/domain/record/payload.ts';
import { has } from '../tools.ts';
import { sampleHistory } from './samples/sample-chain.ts';
import { readVectors } from './vectors.ts';

interface Vector {
  kind: payloads.Payload['kind'];
  facts: JsonObject;
  view: string;
  payloadDigest: string;
}

const attesting = (kind: string) => (facts: object) =>
  payloads.createAttestationPayload({ kind, ...facts } as payloads.AttestationFacts);
const builders = {
  trace: payloads.createTracePayload,
  correction: payloads.createCorrectionPayload,
  review: payloads.createReviewPayload,
  status: payloads.createStatusPayload,
  execution: payloads.createExecutionPayload,
  erasure: payloads.createErasurePayload,
  audit: payloads.createAuditPayload,
  compliance: attesting('compliance'),
  assessment: attesting('assessment'),
  checkpoint: attesting('checkpoint'),
  manifest: attesting('manifest'),
  certificate: attesting('certificate'),
  halt: attesting('halt'),
  credential: attesting('credential'),
} as Record<string, (facts: unknown) => string>;

const all = readVectors<Vector[]>('views.json');

describe.each(all)('a payload of kind $kind', ({ kind, facts, view, payloadDigest: digest }) => {
  const build = builders[kind]!;

  it('is the text of its vector', () => {
    expect(build(facts)).toBe(view);
    expect(computePayloadDigest(view)).toBe(digest);
    expect(view).toMatch(/^[ -~]*$/);
    expect(view).not.toContain('\\');
  });

  it('can be parsed, also by the verifier', () => {
    expect(payloads.parsePayload(view)).toEqual({ payload: JSON.parse(view) as unknown });
    expect(findViewFault(JSON.parse(view) as JsonObject)).toBeNull();
  });

  it('keeps any free text out of every member, at any depth', () => {
    for (const [path, poisoned] of poisonings(
      JSON.parse(view) as JsonObject,
      'Ada Lovelace <ada@example.com>',
    )) {
      expect(payloads.parsePayload(canonicalize(poisoned)), path).toHaveProperty('reason');
    }
  });

  it('has every member and no other', () => {
    const members = JSON.parse(view) as JsonObject;
    for (const member of Object.keys(members)) {
      const { [member]: _, ...rest } = members;
      expect(payloads.parsePayload(canonicalize(rest)), member).toHaveProperty('reason');
      expect(findViewFault(rest), member).not.toBeNull();
    }
    expect(payloads.parsePayload(canonicalize({ ...members, note: null }))).toEqual({
      reason: 'unknown member',
    });
    expect(() => build({ ...facts, note: null })).toThrow(TypeError);
  });
});

describe('payloads', () => {
  it('exist of every kind', () => {
    expect(all.map(({ kind }) => kind).sort()).toEqual(Object.keys(builders).sort());
  });

  it.skipIf(!has('jq'))('are what jq prints', () => {
    for (const { view } of all)
      expect(execFileSync('jq', ['-cSj', '.'], { input: view }).toString()).toBe(view);
  });

  it('of every lawful entry are read back', () => {
    for (const { view } of sampleHistory(1, 60))
      expect(payloads.parsePayload(view)).toHaveProperty('payload');
  });

  it.each([
    ['not JSON', '{', 'not JSON'],
    ['a second spelling', '{"v": 1}', 'not canonical JSON'],
    ['a duplicate key', '{"v":1,"v":1}', 'not canonical JSON'],
    ['no object', '[]', 'not an object'],
    ['an unknown kind', '{"kind":"wager"}', 'unknown kind'],
    ['a kind that every object has', '{"kind":"constructor"}', 'unknown kind'],
  ])('are refused: %s', (_name, text, reason) => {
    expect(payloads.parsePayload(text)).toEqual({ reason });
  });

  const erasure = all.find(({ kind }) => kind === 'erasure')!.facts;
  it.each([
    ['a name twice', { erased: [{ sequence: 4, names: ['a', 'a'] }] }],
    [
      'an entry twice',
      {
        erased: [
          { sequence: 4, names: ['a'] },
          { sequence: 4, names: ['b'] },
        ],
      },
    ],
    ['a sequence that is none', { subject: { sequence: 0, chainHash: '0'.repeat(64) } }],
    ['an unsafe sequence', { subject: { sequence: 2 ** 53, chainHash: '0'.repeat(64) } }],
    ['a commitment that is no digest', { commitments: { request: 'customer 4711' } }],
    ['a name of a commitment that is a sentence', { commitments: { 'Ada asked': '0'.repeat(64) } }],
  ])('are not built with %s', (_name, members) => {
    expect(() => builders.erasure!({ ...erasure, ...members })).toThrow(TypeError);
  });

  it('of audit entries keep ids in clear and nothing else', () => {
    const { facts } = all.find(({ kind }) => kind === 'audit')!;
    const idOf = (resourceId: string | null) =>
      (JSON.parse(builders.audit!({ ...facts, resourceId })) as payloads.AuditPayload).resourceId;
    const ids = [
      '65f000000000000000000001',
      '3f2b8a52-9a1c-4c0e-8f43-0a1b2c3d4e5f',
      `trc_${'0a'.repeat(16)}`,
    ];
    for (const id of ids) expect(idOf(id)).toBe(id);
    for (const text of ['ada@example.com', 'ada', '', 'x'.repeat(24)])
      expect(idOf(text)).toBeNull();
  });

  it('of a clause cannot name another one', () => {
    const { view } = all.find(({ kind }) => kind === 'compliance')!;
    const other = view.replace('compliance:eu-ai-act:art-12', 'compliance:eu-ai-act:art-13');
    expect(payloads.parsePayload(other)).toEqual({ reason: 'traceId names another record' });
  });
});

const STATUSES = ['success', 'approved', 'flagged', 'escalated', 'pending', 'blocked'];
/** The members with a fixed set of words: kind, path, and the words. */
const WORDS: readonly [kind: string, path: string, words: readonly string[]][] = [
  ...all.map(
    ({ kind }) => [kind, 'actor.kind', ['user', 'workspaceKey', 'agentKey', 'system']] as const,
  ),
  ['trace', 'status', STATUSES],
  ['correction', 'action', ['approve', 'correct']],
  ['correction', 'set.status', STATUSES],
  ['review', 'decision', ['approve', 'reject']],
  ['review', 'set.status', STATUSES],
  ['status', 'set.status', STATUSES],
  ['compliance', 'status', ['covered', 'partial', 'gap', 'not-applicable']],
  ['erasure', 'cause', ['request', 'bulk-delete', 'purge', 'retention']],
  ['assessment', 'status', ['review', 'approved']],
  ['manifest', 'status', ['issued', 'revoked']],
  ['audit', 'status', ['success', 'failure']],
].map(([kind, path, words]) => [kind, path, words] as [string, string, readonly string[]]);

describe.each(WORDS)('of a payload of kind %s the member %s', (kind, path, words) => {
  const { view } = all.find((vector) => vector.kind === kind)!;
  const withWord = (word: Json): JsonObject => {
    const payload = JSON.parse(view) as JsonObject;
    const names = path.split('.');
    const last = names.pop()!;
    let holder = payload;
    for (const name of names) holder = holder[name] as JsonObject;
    holder[last] = word;
    return payload;
  };

  it('accepts each of its words', () => {
    for (const word of words) {
      const payload = withWord(word);
      expect(payloads.parsePayload(canonicalize(payload)), word).toEqual({ payload });
      expect(findViewFault(payload), word).toBeNull();
    }
  });

  it('accepts no other value', () => {
    const others = [
      ...WORDS.flatMap(([, , known]) => known),
      'Gap',
      'constructor',
      '',
      0,
      true,
      [],
    ];
    for (const other of others.filter((word) => !words.includes(word as string))) {
      const payload = withWord(other);
      expect(payloads.parsePayload(canonicalize(payload)), String(other)).toHaveProperty('reason');
      // A verifier takes the words of a clause as they are.
      const isRefused = kind !== 'compliance' || path !== 'status' || typeof other !== 'string';
      expect(findViewFault(payload) !== null, String(other)).toBe(isRefused);
    }
  });
});

/** The payload with one of its strings or nulls replaced by a text, for each of them. */
function* poisonings(value: JsonObject, text: string): Generator<[string, JsonObject]> {
  for (const [key, member] of Object.entries(value)) {
    if (member === null || typeof member === 'string') yield [key, { ...value, [key]: text }];
    else if (typeof member === 'object' && !Array.isArray(member)) {
      for (const [path, inner] of poisonings(member, text))
        yield [`${key}.${path}`, { ...value, [key]: inner }];
    } else if (Array.isArray(member)) yield [key, { ...value, [key]: [text] }];
  }
}
