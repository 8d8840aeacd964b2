// Where mailboxes have to be proved, who has not proved theirs does not count as another reviewer.
import { beforeAll, expect, test } from 'vitest';
import { useHarness, useOwner } from '../../setup/fixtures.ts';
import { createMember, verifyMailbox } from '../../setup/harness.ts';
import { assertOk } from '../../setup/personas.ts';
import { toOutcome } from '../../setup/start-app.ts';
import { useReviews } from '../review-queue/review-queue-stage.ts';

const harness = useHarness({ ASSAY_REQUIRE_VERIFIED_EMAIL: 'true' });
const ada = useOwner(harness);
beforeAll(() => verifyMailbox(harness, ada));
const { hold, decide } = useReviews(harness, ada);

test('another reviewer counts once their mailbox is proved', async () => {
  const actor = [{ type: 'user', id: ada.email }];
  const { id } = await hold({ actor });
  const bob = await createMember(harness, ada, 'reviewer');
  await verifyMailbox(harness, bob);
  expect(toOutcome(await decide(id, { decision: 'approve' }))).toEqual([403, 'FORBIDDEN']);
  const unproved = { $set: { emailVerifiedAt: null } };
  await harness.db.collection('users').updateOne({ email: bob.email }, unproved);
  assertOk(await decide(id, { decision: 'approve' }));
});
