// The canonical payloads that count as verdicts of persons.
import { expect, test } from 'vitest';
import {
  createCorrectionPayload,
  createReviewPayload,
  type Actor,
} from '../../../src/domain/record/payload.ts';
import { isByPerson } from '../../../src/domain/record/persons-verdict.ts';

const id = 'a'.repeat(24);
const position = { sequence: 7, chainHash: 'b'.repeat(64) };
const digest = 'c'.repeat(64);
const set = { status: 'success', humanOverride: false } as const;
const base = (actor: Actor, commitments: Record<string, string>) => ({
  organizationId: id,
  workspaceId: id,
  actor,
  traceId: 'trc_1',
  subject: position,
  after: position,
  commitments,
  set,
});
const feedback = { feedback: digest, metadata: digest, outputDecision: digest, rationale: digest };
const capable = Object.assign({ capability: digest }, feedback);
const correction = (kind: Actor['kind'], commitments: Record<string, string>): string =>
  createCorrectionPayload({ ...base({ kind, id }, commitments), action: 'correct' });
const review = (actor: Actor): string =>
  createReviewPayload({ ...base(actor, { reason: digest }), reviewId: id, decision: 'approve' });
const withdrawal = createReviewPayload({
  ...base({ kind: 'user', id }, { actionDigest: digest, withdrawn: digest }),
  reviewId: id,
  decision: 'reject',
});

test.each([
  ['a review of a signed-in person', review({ kind: 'user', id }), true],
  ['a correction of a signed-in person', correction('user', feedback), true],
  ['feedback of a key with the capability', correction('workspaceKey', capable), true],
  ['feedback of another key', correction('workspaceKey', feedback), false],
  ['feedback of a key that commits to nothing', correction('workspaceKey', {}), false],
  ['feedback of an agent key', correction('agentKey', capable), false],
  ['a withdrawal by a signed-in person', withdrawal, false],
  ['an approval of the service', review({ kind: 'system', id: null }), false],
  ['a review without a known reviewer', review({ kind: 'user', id: null }), false],
])('%s: %#', (_, view, counts) => {
  expect(isByPerson(view)).toBe(counts);
});
