// Counts pending, dead and late rows of the outbox.
import type { Model } from 'mongoose';
import type { Clock } from '../clock.ts';
import type { OutboxDocument } from './outbox.model.ts';

export interface LateRows {
  topic: string;
  /** Counted up to 10,000. */
  rows: number;
  /** One late row, with the error of its last attempt. */
  example: { id: string; attempts: number; lastError: string | null };
}

export interface Backlog {
  /** Counts pending and dead rows, each up to 10,000. */
  countBacklog(): Promise<{ pending: number; dead: number }>;
  /**
   * Rows by topic that are over a minute late: since creation where retries are prompt, else since the due time.
   * A topic without such rows is left out.
   */
  findLateRows(): Promise<LateRows[]>;
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

  async function findLateTopicRows(topic: string): Promise<LateRows[]> {
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
    async countBacklog() {
      const topic = { $in: [...topics] };
      const count = (status: string): Promise<number> =>
        collection.countDocuments({ topic, status }, { limit: MAX_COUNT, timeoutMS: TIMEOUT_MS });
      const [pending, dead] = await Promise.all([count('pending'), count('dead')]);
      return { pending, dead };
    },
    findLateRows: async () => (await Promise.all(topics.map(findLateTopicRows))).flat(),
  };
}
