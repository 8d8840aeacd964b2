// The webhook of the demo: registers it before the first decision, and reports what its receiver got.
import type { Caller } from './oversight.ts';
import type { Receiver } from './receiver.ts';
import { count } from './screen.ts';

/** Timeout without another message. */
const SILENCE_MAX_MS = 30_000;
const POLL_MS = 100;

/** Registers the receiver for all events; the secret is shown only in this answer. */
export async function subscribe({ api, token }: Caller, receiver: Receiver): Promise<void> {
  const body = { url: receiver.url, events: ['*'], description: 'the receiver of the demo' };
  const made = await api.post<{ signingSecret: string }>('/api/v1/webhooks', body, token);
  receiver.trust(made.signingSecret);
}

/** Waits until that many messages have arrived, and describes them. @throws Error when no more arrive */
export async function awaitEvents(receiver: Receiver, wanted: number): Promise<string> {
  let [got, since] = [0, performance.now()];
  while (receiver.received().total < wanted) {
    if (receiver.received().total > got)
      [got, since] = [receiver.received().total, performance.now()];
    if (performance.now() - since > SILENCE_MAX_MS)
      throw new Error(`The webhook got ${got} messages of ${wanted}, and no more`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  const { byEvent, total, repeated, refused } = receiver.received();
  const sorted = [...byEvent].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const events = sorted.map(([event, times]) => `${count(times)} ${event}`).join(', ');
  const again = `${count(repeated)} came twice, ${count(refused)} had a wrong signature`;
  return `${count(total)} messages, each signature verified: ${events}; ${again}`;
}
