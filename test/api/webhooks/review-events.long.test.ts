// A verdict of a reviewer reaches webhooks, so that an agent which was suspended goes on without asking.
// @module-tag long
import { expireDueReviews } from '../../../src/decisions/traces/review/review-expiry.service.ts';
import { expect, test } from 'vitest';
import { useFixture, useHarness, useOwner } from '../../setup/fixtures.ts';
import { assertOk } from '../../setup/personas.ts';
import { startReceiver } from '../../setup/providers/receiver.ts';
import { useReviews } from '../review-queue/review-queue-stage.ts';

const receiver = useFixture(startReceiver, (one) => one.close());
const harness = useHarness(() => ({ ASSAY_OUTBOUND_ALLOW: receiver.host }));
const { app } = harness;
const ada = useOwner(harness);
const { hold, decide } = useReviews(harness, ada);

async function subscribe(path: string, events: readonly string[]): Promise<void> {
  const body = { url: receiver.url + path, events };
  assertOk(await app.call('POST', '/api/v1/webhooks', { token: ada.token, body }));
}
async function deliver(): Promise<void> {
  for (let round = 0; round < 3; round += 1) await app.instance.runJobsOnce();
}
const readEvents = (path: string): unknown[] =>
  receiver.listMessages(path).map(({ body }) => body as unknown);

test('each verdict is delivered once, to those who subscribed to it', async () => {
  await subscribe('/reviews', ['review.decided']);
  await subscribe('/created', ['trace.created']);
  const [approved, rejected] = [await hold({ agentId: 'till' }), await hold({ agentId: 'till' })];
  assertOk(await decide(approved.id, { decision: 'approve' }));
  assertOk(await decide(rejected.id, { decision: 'reject' }));
  await deliver();
  await deliver();
  const toEvent = ({ id, traceId }: typeof approved, status: string): object => ({
    event: 'review.decided',
    timestamp: expect.stringMatching(/Z$/) as string,
    data: { traceId, reviewId: id, agentName: 'till', status },
  });
  expect(readEvents('/reviews')).toHaveLength(2);
  expect(readEvents('/reviews')).toEqual(
    expect.arrayContaining([toEvent(approved, 'approved'), toEvent(rejected, 'rejected')]),
  );
  expect(readEvents('/created')).toEqual([]);
});

test('a verdict on a decision that was erased before the delivery is not delivered', async () => {
  await subscribe('/erased', ['review.decided']);
  const { id, mongoId } = await hold({ agentId: 'till' });
  assertOk(await decide(id, { decision: 'approve' }));
  const body = { ids: [mongoId] };
  assertOk(await app.call('POST', '/api/v1/traces/bulk-delete', { token: ada.token, body }));
  await deliver();
  expect(readEvents('/erased')).toEqual([]);
});

test('a hold that ends without a verdict is an event of its own, and no verdict', async () => {
  await subscribe('/ends', ['review.expired', 'review.withdrawn']);
  await subscribe('/verdicts', ['review.decided']);
  const withdrawn = await hold({ agentId: 'till' });
  const path = `/api/v1/traces/${withdrawn.traceId}/withdraw`;
  assertOk(await app.call('POST', path, { token: ada.token, body: {} }));
  const expired = await hold({ agentId: 'till', review: { expiresIn: 1 } });
  await expect
    .poll(async () => {
      await expireDueReviews(app.instance.platform);
      return harness.db
        .collection('ledger')
        .countDocuments({ traceId: expired.traceId, kind: 'review' });
    })
    .toBe(1);
  await deliver();
  await deliver();
  expect(readEvents('/ends')).toMatchObject([
    { event: 'review.withdrawn', data: { traceId: withdrawn.traceId, status: 'withdrawn' } },
    { event: 'review.expired', data: { traceId: expired.traceId, status: 'expired' } },
  ]);
  expect(readEvents('/verdicts')).toEqual([]);
});
