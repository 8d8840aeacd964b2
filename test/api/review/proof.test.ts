// The whole story of a decision, verified offline: proposed, approved with edits, claimed once, ended; for this action.
import { createHash } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { type DecisionQuestion, verifyBundle } from '@assay/verifier';
import { canonicalize, type Json } from '@assay/json';
import { useHarness, useOwner } from '../../setup/fixtures.ts';
import { assertOk, buildDecision, createAgent } from '../../setup/personas.ts';
import { useReviews } from '../review-queue/review-queue-stage.ts';

const harness = useHarness();
const { app } = harness;
const ada = useOwner(harness);
const { decide } = useReviews(harness, ada);

const digest = (action: Json): string =>
  createHash('sha256').update(canonicalize(action)).digest('hex');
const action = { tool: 'refund', to: 'bob@example.com', amount: 120 };
const edited = { ...action, amount: 90 };

interface Proof {
  traceId: string;
  /** Salts of the two bindings. */
  raw: string;
  edited: string;
  lines: string[];
  pin: { sequence: number; chainHash: string };
}
const proof = {} as Proof;

beforeAll(async () => {
  const { id, key } = await createAgent(app, ada);
  const body = buildDecision(id, { outputDecision: { action } });
  const { data } = assertOk(await app.call('POST', '/api/v1/traces', { key, body })).body;
  const { traceId, reviewId, actionDigest, binding } = data;
  const verdict = { decision: 'approve', actionDigest, edits: { amount: 90 } };
  assertOk(await decide(reviewId, verdict));
  const path = `/api/v1/traces/${traceId}/executions`;
  const claim = { rawActionDigest: digest(action), editedActionDigest: digest(edited), action };
  const claimed = assertOk(await app.call('POST', path, { key, body: claim })).body.data;
  const outcome = { outcome: 'succeeded', summary: 'Paid' };
  const ended = assertOk(
    await app.call('PATCH', `${path}/${claimed.executionId}`, { key, body: outcome }),
  ).body.data;
  const { text } = await app.call('GET', '/api/v1/hash-chain/export?fromSequence=1', {
    token: ada.token,
  });
  Object.assign(proof, {
    traceId,
    raw: binding.salt,
    edited: claimed.editedAction.salt,
    lines: text.trimEnd().split('\n'),
    pin: ended.receipts.outcome,
  });
});

async function ask(question: Omit<DecisionQuestion, 'traceId'>) {
  async function* stream() {
    yield* proof.lines;
  }
  const { traceId, pin } = proof;
  const pins = [{ ...pin, traceId: null, salt: null, createdAt: null }];
  return verifyBundle(stream(), { pins, decision: { traceId, ...question } });
}

test('every step is about the action that the agent held, and the chain is intact', async () => {
  const report = await ask({
    raw: { action, salt: proof.raw },
    edited: { action: edited, salt: proof.edited },
  });
  expect(report.verdict).toBe('intact');
  expect(report.decision?.map(({ what, by, isAction }) => [what, by, isAction])).toEqual([
    ['proposed', 'agentKey', true],
    ['approved', 'user', true],
    ['claimed', 'agentKey', true],
    ['succeeded', 'agentKey', null],
  ]);
});

test('another action, or another salt, is said to be another', async () => {
  const other = await ask({ raw: { action: { ...action, amount: 121 }, salt: proof.raw } });
  expect(other.decision?.map(({ isAction }) => isAction)).toEqual([false, false, false, null]);
  const salted = await ask({ raw: { action, salt: proof.edited } });
  expect(salted.decision?.[0]?.isAction).toBe(false);
  const unedited = await ask({ edited: { action, salt: proof.edited } });
  expect(unedited.decision?.map(({ isAction }) => isAction)).toEqual([null, null, false, null]);
});

test('without an action the steps are listed', async () => {
  const { decision } = await ask({});
  expect(decision?.map(({ what }) => what)).toEqual([
    'proposed',
    'approved',
    'claimed',
    'succeeded',
  ]);
});
