// What waits in the outbox, and what waits for too long.
import type { Model } from 'mongoose';
import type { Clock } from '../clock.ts';
import type { OutboxDocument } from './outbox.model.ts';

export interface LateRows {
  topic: string;
  /** Counted up to 10,000. */
  rows: number;
  /** One of them, and why its last attempt failed. */
  example: { id: string; attempts: number; lastError: string | null };
}

export interface Backlog {
  /** Rows that wait and rows that were given up, each counted up to 10,000. */
  backlog(): Promise<{ pending: number; dead: number }>;
  /**
   * By topic, rows that wait for longer than a minute: where retries are prompt, since they were written, else since they were due.
   * None of a topic without such rows.
   */
  late(): Promise<LateRows[]>;
}

const LATE_MS = 60_000;
const MAX_COUNT = 10_000;
const TIMEOUT_MS = 2000;

interface BacklogDeps {
  rows: Model<OutboxDocument>;
  topics: readonly string[];
  hasPromptRetries: boolean;
  clock: Clock;
}

export function createBacklog({ rows, topics, hasPromptRetries, clock }: BacklogDeps): Backlog {
  const { collection } = rows;

  async function lateOf(topic: string): Promise<LateRows[]> {
    const $lt = new Date(clock.now().getTime() - LATE_MS);
    const since = hasPromptRetries ? { createdAt: { $lt } } : { dueAt: { $lt } };
    const where = { topic, status: 'pending', ...since } as const;
    const options = { limit: MAX_COUNT, timeoutMS: TIMEOUT_MS };
    const count = await collection.countDocuments(where, options);
    const found = count > 0 && (await collection.findOne(where, { timeoutMS: TIMEOUT_MS }));
    if (!found) return [];
    const { _id, attempts, lastError } = found;
    return [{ topic, rows: count, example: { id: _id.toHexString(), attempts, lastError } }];
  }

  return {
    async backlog() {
      const topic = { $in: [...topics] };
      const count = (status: string): Promise<number> =>
        collection.countDocuments({ topic, status }, { limit: MAX_COUNT, timeoutMS: TIMEOUT_MS });
      const [pending, dead] = await Promise.all([count('pending'), count('dead')]);
      return { pending, dead };
    },
    late: async () => (await Promise.all(topics.map(lateOf))).flat(),
  };
}
