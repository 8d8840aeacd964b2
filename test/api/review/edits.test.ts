// A reviewer approves an action with edits: the agent applies them to what it holds, so what was masked is not executed.
import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { canonicalize, type Json } from '@assay/json';
import { useHarness, useOwner } from '../../setup/fixtures.ts';
import { assertOk, buildDecision, createAgent, createFeedbackKey } from '../../setup/personas.ts';
import { toOutcome, type Answer } from '../../setup/start-app.ts';
import { useReviews } from '../review-queue/review-queue-stage.ts';

const harness = useHarness();
const { app } = harness;
const ada = useOwner(harness);
const { decide, entriesOf, verify, list } = useReviews(harness, ada);
let till: { id: string; key: string };
beforeAll(async () => {
  till = await createAgent(app, ada);
});

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const digest = (action: Json): string => sha256(canonicalize(action));
const action = {
  tool: 'refund',
  arguments: { to: 'bob@example.com', amount: 120, note: 'late', tags: ['a', 'b'] },
};

async function propose(proposed: Json = action) {
  const body = buildDecision(till.id, { outputDecision: { action: proposed } });
  const { data } = assertOk(await app.call('POST', '/api/v1/traces', { key: till.key, body })).body;
  return data as { traceId: string; reviewId: string; actionDigest: string };
}

type Proposed = Awaited<ReturnType<typeof propose>>;
const approve = ({ reviewId, actionDigest }: Proposed, edits: unknown): Promise<Answer> =>
  decide(reviewId, { decision: 'approve', actionDigest, edits });
const claim = (traceId: string, body: object): Promise<Answer> =>
  app.call('POST', `/api/v1/traces/${traceId}/executions`, { key: till.key, body });
const read = async (traceId: string) =>
  assertOk(await app.call('GET', `/api/v1/traces/${traceId}`, { key: till.key })).body.data;

test('the waiting agent sees the edits, applies them to the raw action, and claims the result', async () => {
  const held = await propose();
  const edits = { arguments: { amount: 90, note: null, tags: ['c'] } };
  const decided = assertOk(await approve(held, edits)).body.data;
  expect(decided).toMatchObject({ decision: 'approve', edits });
  const { status, humanOverride, review } = await read(held.traceId);
  expect([status, humanOverride, review.status]).toEqual(['approved', true, 'approved']);
  expect(review.edits).toEqual(edits);
  const edited = {
    tool: 'refund',
    arguments: { to: 'bob@example.com', amount: 90, tags: ['c'] },
  };
  const body = { rawActionDigest: digest(action), editedActionDigest: digest(edited), action };
  const { data } = assertOk(await claim(held.traceId, body)).body;
  const { salt, commitment } = data.editedAction;
  expect(commitment).toBe(sha256(`["${salt}","editedAction","${digest(edited)}"]`));
  const entries = await entriesOf(held.traceId);
  const [, verdict, claimed] = entries.map(({ view }) => JSON.parse(view));
  expect(Object.keys(verdict.commitments).sort()).toEqual(['actionDigest', 'edits', 'rawAction']);
  expect(claimed.commitments).toEqual({
    rawAction: verdict.commitments.rawAction,
    editedAction: commitment,
  });
  for (const secret of ['bob@example.com', digest(edited), digest(action)])
    expect(JSON.stringify(entries)).not.toContain(secret);
  expect(await verify()).toBe(true);
});

test('one changed byte of the edited action is refused, and so is a claim without it', async () => {
  const held = await propose();
  assertOk(await approve(held, { arguments: { amount: 90 } }));
  const edited = { ...action, arguments: { ...action.arguments, amount: 90 } };
  const rawActionDigest = digest(action);
  const whole = { rawActionDigest, editedActionDigest: digest(edited), action };
  const other = { ...action, arguments: { ...action.arguments, to: 'eve@example.com' } };
  for (const body of [
    { rawActionDigest },
    { rawActionDigest, editedActionDigest: digest(edited) },
    { rawActionDigest, action },
    { ...whole, editedActionDigest: digest(action) },
    { ...whole, editedActionDigest: digest({ ...edited, arguments: { amount: 91 } }) },
    { ...whole, action: other },
    { ...whole, action: other, rawActionDigest: digest(other) },
  ])
    expect(toOutcome(await claim(held.traceId, body))).toEqual([403, 'APPROVAL_MISMATCH']);
  assertOk(await claim(held.traceId, whole));
});

test('an approval without edits takes no edited action', async () => {
  const held = await propose();
  assertOk(await decide(held.reviewId, { decision: 'approve' }));
  const rawActionDigest = digest(action);
  const body = { rawActionDigest, editedActionDigest: rawActionDigest, action };
  expect(toOutcome(await claim(held.traceId, body))).toEqual([403, 'APPROVAL_MISMATCH']);
  expect((await read(held.traceId)).review.edits).toBeNull();
});

test('an action that is a text gets a new text', async () => {
  const held = await propose('refund bob@example.com');
  assertOk(await approve(held, 'refund half'));
  const body = {
    rawActionDigest: digest('refund bob@example.com'),
    editedActionDigest: digest('refund half'),
    action: 'refund bob@example.com',
  };
  assertOk(await claim(held.traceId, body));
});

describe('edits are refused, and the item stays pending', () => {
  test.each([
    ['a mask', { arguments: { to: '[EMAIL]' } }, 'EDITS_MASKED'],
    ['a mask within a text', { arguments: { note: 'to [IBAN] at once' } }, 'EDITS_MASKED'],
    ['a mask in a list', { arguments: { tags: ['a', '[REDACTED]'] } }, 'EDITS_MASKED'],
    ['a mask as a key', { '[PHONE]': 1 }, 'EDITS_MASKED'],
    ['what would be masked', { arguments: { to: 'eve@example.com' } }, 'EDITS_MASKED'],
    ['no change', { arguments: { amount: 120 } }, 'VALIDATION_ERROR'],
    ['nothing', {}, 'VALIDATION_ERROR'],
    ['a text for an object', 'refund half', 'VALIDATION_ERROR'],
    ['a list', [1], 'VALIDATION_ERROR'],
    ['a number', 7, 'VALIDATION_ERROR'],
    ['a null in a new object', { options: { limit: null } }, 'VALIDATION_ERROR'],
    ['a null in an object for a text', { tool: { of: { at: null } } }, 'VALIDATION_ERROR'],
    ['too much', { note: 'x'.repeat(10_240) }, 'VALIDATION_ERROR'],
  ])('%s', async (_, edits, code) => {
    const held = await propose();
    expect(toOutcome(await approve(held, edits))).toEqual([400, code]);
    expect((await read(held.traceId)).review.status).toBe('pending');
  });

  test('with a rejection, or without the digest of what was looked at', async () => {
    const { reviewId, actionDigest } = await propose();
    const edits = { arguments: { amount: 90 } };
    for (const body of [
      { decision: 'reject', actionDigest, edits },
      { decision: 'approve', edits },
    ])
      expect(toOutcome(await decide(reviewId, body))).toEqual([400, 'VALIDATION_ERROR']);
  });

  test('of an action that was corrected', async () => {
    const { traceId, reviewId } = await propose();
    const key = await createFeedbackKey(app, ada);
    const corrected = { tool: 'refund', amount: 12 };
    const body = { traceId, correctedDecision: corrected };
    assertOk(await app.call('POST', '/api/v1/cpi/ingest', { key, body }));
    const verdict = { decision: 'approve', actionDigest: digest(corrected), edits: { amount: 1 } };
    expect(toOutcome(await decide(reviewId, verdict))).toEqual([400, 'INVALID_OPERATION']);
  });
});

test('an edited approval is no word for the agent: the index counts it as an override', async () => {
  const held = await propose();
  assertOk(await approve(held, { arguments: { amount: 90 } }));
  const { body } = await list('status=approved');
  const item = body.data.find(({ traceId }: { traceId: string }) => traceId === held.traceId);
  expect(item).toMatchObject({ decision: 'approve', edits: { arguments: { amount: 90 } } });
  expect((await read(held.traceId)).humanOverride).toBe(true);
});
