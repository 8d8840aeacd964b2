// Ingestion seals the same draft with cached or loaded settings, and on the main thread or in the thread of large bodies.
// @module-tag varied
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { afterAll, expect, inject, test } from 'vitest';
import type { JsonObject } from '@assay/json';
import { policyTemplates, compilePolicies } from '@assay/policy';
import { DEFAULT_AGENT_POLICIES } from '../../../../src/domain/agents/agent-policies.ts';
import { AppError } from '../../../../src/errors.ts';
import type { Draft, Outcome, Stored } from '../../../../src/ledger/entry.ts';
import {
  type InspectedBody,
  type LargeBodies,
} from '../../../../src/decisions/traces/ingestion/large-bodies.ts';
import type { IngestBody } from '../../../../src/decisions/traces/traces.schemas.ts';
import {
  inspectLargeDecision,
  recordDecision,
} from '../../../../src/decisions/traces/ingestion/ingestion.service.ts';
import { provideTraceNeighbours } from '../../../../src/decisions/traces/neighbours.service.ts';
import { createThreads } from '../../../../src/platform/threads/threads.ts';
import { anyDecision } from '../../../domain/record/any-decision.ts';
import { policy } from '../../../domain/policies/build.ts';
import { chooseRuns } from '../../../setup/runs.ts';

const organizationId = 'a'.repeat(24);
const agent = {
  agentId: 'b'.repeat(24),
  name: 'Desk',
  workspaceId: 'c'.repeat(24),
  policies: DEFAULT_AGENT_POLICIES,
};
const policies = compilePolicies(
  policyTemplates.map(({ id, conditions, actions }) => policy({ id, conditions, actions })),
);
const at = new Date('2026-03-04T10:00:00Z');
const recent = { overrideRate: 0.25, flagRate: null };
const settings = { reviewSla: { high: 60 } };
/** What the caches hold, by their first collection. */
const cached: Record<string, (key: string) => unknown> = {
  agents: (key) => (key.endsWith('/desk') ? [agent] : []),
  organizations: () => ({ scrubNationalIds: true }),
  workspaces: () => settings,
};

const threads = createThreads(inject('built'));
afterAll(() => threads.close());

/** Returns the settings directly, or a turn of the event loop later. */
type Way = <T>(value: T) => T | Promise<T>;
const known: Way = (value) => value;
const awaited: Way = (value) => new Promise((resolve) => void setImmediate(() => resolve(value)));

/** The service with these settings, and the drafts that it has sealed. Random values are the same for every service. */
function ingestionBy(way: Way) {
  const drafts: Draft[] = [];
  const drawn = { ids: 0, seeds: 0 };
  const append = (draft: Draft): Promise<Outcome> => {
    drafts.push(draft);
    const sealed = { sequence: 1, chainHash: '', createdAt: at } as Stored;
    const entry = Object.assign(sealed, draft.fields, { traceId: draft.traceId });
    return Promise.resolve({ kind: 'sealed', entry });
  };
  const platform = {
    clock: { now: () => at },
    newTraceId: () => `trc_${String((drawn.ids += 1)).padStart(32, '0')}`,
    generateId: () => String((drawn.ids += 1)).padStart(24, '0'),
    draw16Bytes: () => Buffer.alloc(16, (drawn.seeds += 1)),
    ledger: { appender: { append }, sessions: { readNewest: () => Promise.resolve(null) } },
    secrets: { ledgerKey: 'a key' },
    config: { ASSAY_LIMIT_SANDBOX: 1_000 },
    metrics: { decisions: { inc: () => undefined } },
    threads,
    models: {
      agentActivity: { findOne: () => ({ lean: () => way({ recent }) }) },
      traces: { findOne: () => ({ lean: () => way(null) }) },
    },
    caches: {
      openCache: ({ collections: [of = ''] }: { collections: string[] }) => ({
        get: (key: string) => way(cached[of]?.(key)),
      }),
    },
  };
  const deps = {
    loadPolicySet: () => way(policies),
    loadCatalogue: () => way(null),
    loadStandingGrants: () => way([]),
  };
  provideTraceNeighbours(platform as never, deps as never);
  const actor = { kind: 'workspaceKey', id: 'd'.repeat(24) } as const;
  const tenant = {
    organizationId,
    workspaceId: null,
    defaultWorkspaceId: 'e'.repeat(24),
    plan: 'custom',
    agentIds: null,
    actor,
  } as const;
  const key = {
    keyId: actor.id,
    kind: actor.kind,
    readOnly: false,
    isForFeedback: false,
    keyHash: '',
    workspaceId: null,
    agentId: null,
  };

  /** `length`: that of the body in bytes; it is filled up with blanks. */
  return async (given: JsonObject, length: number): Promise<unknown> => {
    const rawBody = Buffer.from(JSON.stringify(given).padEnd(length));
    const context = { headers: {}, userAgent: null, rawBody, hasLeft: () => false };
    Object.assign(drawn, { ids: 0, seeds: 0 });
    const ctx = { platform: platform as never, tenant, key };
    const body =
      length === 0 ? (given as IngestBody) : await inspected(inspectLargeDecision(ctx, context));
    const { answer } = await recordDecision(ctx, body, context);
    return { answer, draft: drafts.pop() };
  };
}

/** The body that the thread has accepted. */
async function inspected(inspecting: ReturnType<LargeBodies['inspect']>): Promise<InspectedBody> {
  const { body } = await inspecting;
  if (body instanceof AppError) throw body;
  return body;
}

const LARGE = 200_000;

test('seals the same draft with cached and with awaited settings', async () => {
  const ways = [ingestionBy(known), ingestionBy(awaited)];
  const seen = new Set<unknown>();
  let runs = 0;
  await fc.assert(
    fc.asyncProperty(anyDecision, async (given) => {
      // A session of its own: what an earlier one has read would block it.
      const alone = { sessionId: `session-${(runs += 1)}`, ...given };
      const [one, other] = await Promise.all(ways.map((ingest) => ingest(alone, 0)));
      // A matcher would take most of the time.
      if (!isDeepStrictEqual(other, one)) expect(other).toEqual(one);
      seen.add((one as { answer: { status: string } }).answer.status);
    }),
    { numRuns: chooseRuns(100, 1_000) },
  );
  expect([...seen].sort()).toEqual(expect.arrayContaining(['approved', 'flagged']));
});

test('seals the same draft on the main thread and in the thread of large bodies', async () => {
  const [inThread, here] = [ingestionBy(known), ingestionBy(known)];
  /** Without the values derived from the bytes themselves. */
  const judged = async (ingest: typeof here, given: JsonObject, bytes: number) => {
    const { draft } = (await ingest(given, bytes)) as { draft: Draft<Stored> };
    const { sealed, ...fields } = draft.fields as { sealed: Record<string, unknown> };
    const { submitted, ...values } = sealed;
    expect(submitted).toBeDefined();
    return { fields, values, session: draft.session };
  };
  await fc.assert(
    fc.asyncProperty(anyDecision, async (given) => {
      expect(await judged(inThread, given, LARGE)).toEqual(await judged(here, given, 0));
    }),
    { numRuns: chooseRuns(50, 200) },
  );
});
