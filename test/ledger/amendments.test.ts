// Amendments on a real database: the first one wins, and the trace equals the fold in any order of folding.
import { expect, test } from 'vitest';
import { computePayloadDigest } from '../../src/domain/record/chain.ts';
import {
  createCorrectionPayload,
  createErasurePayload,
  createReviewPayload,
  createStatusPayload,
  type TraceStatus,
} from '../../src/domain/record/payload.ts';
import { AppError } from '../../src/errors.ts';
import { generateId } from '../../src/platform/ids.ts';
import { DECISIONS } from '../../src/ledger/chains.ts';
import type { Draft, Position, Stored } from '../../src/ledger/entry.ts';
import { createFold } from '../../src/ledger/amend/fold.ts';
import {
  createAmendments,
  type Amendment,
  type Subject,
} from '../../src/ledger/amend/amendments.ts';
import { toObjectId } from '../../src/ledger/ledger.model.ts';
import { traceColumns } from '../../src/decisions/traces/traces.columns.ts';
import { draft, RealChain } from './store/real-chain.ts';

const chain = new RealChain('amendments');
const hex = (digit: string) => digit.repeat(64);
const text = (value: unknown) => ({ seed: 'seed', text: JSON.stringify(value) });

function open(organizationId: string) {
  const fold = createFold({ db: chain.db, chain: DECISIONS, columns: traceColumns });
  const { appender } = chain.start();
  const amendments = createAmendments({ db: chain.db, chain: DECISIONS, appender, fold });
  const ingest = (traceId: string, fields: Draft['fields'] = {}) =>
    appender.append(draft(organizationId, { traceId, fields }));
  return { appender, fold, amendments, ingest };
}

function common(organizationId: string, { trace, subject, after }: Subject) {
  const actor = { kind: 'user', id: generateId() } as const;
  const place = ({ sequence, chainHash }: Position) => ({ sequence, chainHash });
  const positions = { subject: place(subject), after: place(after) };
  return {
    organizationId,
    workspaceId: null,
    traceId: trace.traceId ?? '',
    actor,
    commitments: {},
    ...positions,
  };
}

function amendment(kind: Draft['kind'], payload: string, fields: Draft['fields'] = {}): Amendment {
  return { kind, payload, payloadDigest: computePayloadDigest(payload), fields };
}

function status(organizationId: string, subject: Subject, to: TraceStatus): Amendment {
  return amendment(
    'status',
    createStatusPayload({
      ...common(organizationId, subject),
      set: { status: to, humanOverride: null },
    }),
  );
}

function correction(organizationId: string, subject: Subject, rationale: string): Amendment {
  const set = { status: 'success', humanOverride: true } as const;
  const members = {
    ...common(organizationId, subject),
    commitments: { feedback: hex('a'), rationale: hex('b') },
  };
  const sealed = { feedback: text('wrong'), rationale: text(rationale) };
  return amendment('correction', createCorrectionPayload({ ...members, action: 'correct', set }), {
    sealed,
  });
}

async function traceOf(organizationId: string, traceId: string): Promise<Stored> {
  const entries = await chain.entries(organizationId);
  return entries.find((entry) => entry.traceId === traceId) as Stored;
}

test('one of many concurrent reviewers decides and the others are refused', async () => {
  const organizationId = generateId();
  const reviewId = generateId();
  const { amendments, fold, ingest } = open(organizationId);
  const review = { _id: toObjectId(reviewId), status: 'pending', priority: 'medium' };
  await ingest('t', { status: 'flagged', humanOverride: false, review });
  const assignee = toObjectId(generateId());
  expect(
    await fold.assignReview(toObjectId(organizationId), toObjectId(reviewId), {
      assignedTo: assignee,
    }),
  ).toBe(true);
  const decide = (decision: 'approve' | 'reject') => (subject: Subject) => {
    if ((subject.trace.review as { status: string }).status !== 'pending')
      throw new AppError('INVALID_OPERATION');
    const set = {
      status: decision === 'approve' ? 'approved' : 'blocked',
      humanOverride: false,
    } as const;
    return amendment(
      'review',
      createReviewPayload({ ...common(organizationId, subject), reviewId, decision, set }),
    );
  };
  const decisions = Array.from({ length: 8 }, (_, index) =>
    decide(index % 2 ? 'approve' : 'reject'),
  );
  const results = await Promise.allSettled(
    decisions.map((one) => amendments.append(organizationId, 't', one)),
  );
  const won = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  expect(won).toHaveLength(1);
  const codes = results.flatMap((result) =>
    result.status === 'rejected' ? [(result.reason as AppError).code] : [],
  );
  expect(new Set([...codes, 'INVALID_OPERATION'])).toEqual(new Set(['INVALID_OPERATION']));
  const trace = await traceOf(organizationId, 't');
  const isApproved = (won[0]?.view ?? '').includes('"decision":"approve"');
  expect(trace.status).toBe(isApproved ? 'approved' : 'blocked');
  expect(trace.review).toMatchObject({
    status: isApproved ? 'approved' : 'rejected',
    priority: 'medium',
    assignedTo: assignee,
  });
  expect(
    await fold.assignReview(toObjectId(organizationId), toObjectId(reviewId), { assignedTo: null }),
  ).toBe(false);
});

test('many decisions are amended at once and unknown ones are rejected one by one', async () => {
  const organizationId = generateId();
  const { amendments, ingest } = open(organizationId);
  const traceIds = Array.from({ length: 100 }, (_, index) => `bulk-${index}`);
  await Promise.all(traceIds.map((traceId) => ingest(traceId, { status: 'approved' })));
  const results = await amendments.appendAll(organizationId, [...traceIds, 'unknown'], (subject) =>
    status(organizationId, subject, 'blocked'),
  );
  expect(results.slice(0, 100).every((result) => result.status === 'fulfilled')).toBe(true);
  expect(results[100]).toMatchObject({ status: 'rejected', reason: { code: 'NOT_FOUND' } });
  const entries = await chain.entries(organizationId);
  expect(
    entries.filter(({ kind, status }) => kind === 'trace' && status === 'blocked'),
  ).toHaveLength(100);
});

test('a trace shows the last writer of every field when amendments are folded repeatedly and in any order', async () => {
  const organizationId = generateId();
  const { appender, amendments, fold, ingest } = open(organizationId);
  const sealed = { rationale: text('first'), outputDecision: text({}) };
  await ingest('t', { status: 'approved', humanOverride: false, sealed });
  async function appendUnfolded(make: (subject: Subject) => Amendment): Promise<Stored> {
    const entries = await chain.entries(organizationId);
    const [trace, newest] = [entries[0] as Stored, entries.at(-1) as Stored];
    const made = make({ trace, subject: trace, after: newest });
    const following = {
      organizationId,
      traceId: 't',
      after: newest.sequence,
      idempotencyKey: null,
      monthlyLimit: null,
    };
    return ((await appender.append({ ...made, ...following })) as { entry: Stored }).entry;
  }
  const corrected = await appendUnfolded((subject) =>
    correction(organizationId, subject, 'second'),
  );
  const escalated = await appendUnfolded((subject) => status(organizationId, subject, 'escalated'));
  for (const entry of [escalated, corrected, escalated]) await fold.applyFold(entry);
  const shown = { humanOverride: true, changed: { rationale: '"second"' } };
  expect(await traceOf(organizationId, 't')).toMatchObject({
    ...shown,
    status: 'escalated',
    foldedTo: 3,
  });
  await appendUnfolded((subject) => status(organizationId, subject, 'flagged'));
  let seen: unknown;
  await amendments.append(organizationId, 't', ({ trace }) => {
    seen = trace.status;
    return null;
  });
  expect(seen).toBe('flagged');
});

test('an erasure empties every copy of the named values and nothing else', async () => {
  const organizationId = generateId();
  const { appender, amendments, ingest } = open(organizationId);
  const sealed = { rationale: text('first'), outputDecision: text({ amount: 1 }) };
  await appender.append(
    draft(organizationId, {
      traceId: 'keyed',
      idempotencyKey: Buffer.alloc(16, 7),
      fields: { sealed },
    }),
  );
  await ingest('other', { sealed });
  const erase = (erased: { sequence: number; names: string[] }[]) => (subject: Subject) =>
    amendment(
      'erasure',
      createErasurePayload({ ...common(organizationId, subject), cause: 'bulk-delete', erased }),
    );
  await amendments.append(organizationId, 'keyed', (subject) =>
    correction(organizationId, subject, 'second'),
  );
  await amendments.append(organizationId, 'keyed', erase([{ sequence: 1, names: ['rationale'] }]));
  const partly = await traceOf(organizationId, 'keyed');
  expect(partly).toMatchObject({
    changed: { rationale: '"second"' },
    sealed: { rationale: null, outputDecision: sealed.outputDecision },
  });
  expect(partly).toHaveProperty('idempotencyKey');
  await amendments.append(
    organizationId,
    'keyed',
    erase([
      { sequence: 1, names: ['outputDecision'] },
      { sequence: 3, names: ['rationale'] },
    ]),
  );
  const [trace, other, corrected] = await chain.entries(organizationId);
  expect(trace).toMatchObject({
    changed: { rationale: null },
    sealed: { rationale: null, outputDecision: null },
  });
  expect(trace?.deletedAt).toBeInstanceOf(Date);
  expect(corrected).toMatchObject({ sealed: { rationale: null, feedback: text('wrong') } });
  expect(other).toMatchObject({ sealed });
});

test('an erased entry keeps its idempotency key: the same request is not recorded again', async () => {
  const organizationId = generateId();
  const { appender, amendments } = open(organizationId);
  const posted = draft(organizationId, {
    traceId: 't',
    idempotencyKey: Buffer.alloc(16, 7),
    fields: { sealed: { rationale: text('secret') } },
  });
  await appender.append(posted);
  expect((await appender.append(posted)).kind).toBe('repeated');
  await amendments.append(organizationId, 't', (subject) => {
    const erased = [{ sequence: subject.subject.sequence, names: ['rationale'] }];
    return amendment(
      'erasure',
      createErasurePayload({ ...common(organizationId, subject), cause: 'request', erased }),
    );
  });
  const found = await appender.findReplayed(organizationId, Buffer.alloc(16, 7));
  expect(found?.deletedAt).toBeInstanceOf(Date);
  const again = { ...posted, traceId: 'u', payload: posted.payload.replace('"t"', '"u"') };
  expect((await appender.append(again)).kind).toBe('repeated');
});
