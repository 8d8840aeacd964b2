// What deliveries cost the database: claims and outcomes are written some at a time, so that a backlog leaves quickly.
import { expect, test } from 'vitest';
import { EVENT_TOPIC } from '../../../src/domain/events/events.ts';
import { useFixture, useHarness, useOwner } from '../../setup/fixtures.ts';
import { assertOk } from '../../setup/personas.ts';
import { startReceiver } from '../../setup/providers/receiver.ts';

const WEBHOOKS = 4;
const EVENTS = 50;
const DELIVERIES = WEBHOOKS * EVENTS;

const receiver = useFixture(startReceiver, (one) => one.close());
const harness = useHarness(() => ({ ASSAY_OUTBOUND_ALLOW: receiver.host }));
const ada = useOwner(harness);
/** Commands that count as delivery work; reading the statistics for the test does not. */
const OF_DELIVERIES = /^(outbox|webhooks\.findOne|webhook_statistics\.(?!find$))/;
const SOON = { timeout: 60_000, interval: 500 };

/** Returns the number of deliveries as the webhooks count them. */
async function delivered(): Promise<number> {
  const { body } = assertOk(
    await harness.app.call('GET', '/api/v1/webhooks', { token: ada.token }),
  );
  const counts = body.data as { deliverySuccessCount: number }[];
  return counts.reduce((sum, { deliverySuccessCount }) => sum + deliverySuccessCount, 0);
}

/** Commands about deliveries, by collection and method, while work is done. */
async function commandsOf(work: () => Promise<void>): Promise<string[]> {
  const { connection } = harness.app.instance.platform;
  const commands: string[] = [];
  connection.set('debug', (collection: string, method: string) => {
    const command = `${collection}.${method}`;
    if (OF_DELIVERIES.test(command)) commands.push(command);
  });
  await work().finally(() => connection.set('debug', false));
  return commands;
}

test(`${DELIVERIES} deliveries take less than two commands each`, { tags: ['long'] }, async () => {
  const { app } = harness;
  for (let at = 0; at < WEBHOOKS; at++) {
    const body = { url: `${receiver.url}/${at}`, events: ['*'] };
    assertOk(await app.call('POST', '/api/v1/webhooks', { token: ada.token, body }));
  }
  const { organizationId } = ada;
  const event = { event: 'trace.created', timestamp: new Date().toISOString(), data: {} };
  const rows = Array.from({ length: EVENTS }, () => {
    return { organizationId, topic: EVENT_TOPIC, lane: organizationId, payload: event };
  });
  const commands = await commandsOf(async () => {
    await app.instance.platform.outbox.queue(...rows);
    await expect.poll(delivered, SOON).toBe(DELIVERIES);
  });
  const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
  expect(new Set(ids).size).toBe(DELIVERIES);
  expect(commands.length).toBeLessThan(2 * DELIVERIES);
});
