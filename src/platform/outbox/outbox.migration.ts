// Migrates the outbox of an earlier version.
import type { Connection } from 'mongoose';
import { RETENTION_MS } from './outbox.model.ts';

/** Topics of earlier versions, fixed since a migration never changes. */
const INTERNAL_TOPICS = ['attestation', 'event'];
const [INDEX_NOT_FOUND, NAMESPACE_NOT_FOUND] = [27, 26];

/** Drops an index that the query for due rows no longer uses. */
export async function dropLanesIndex(connection: Connection): Promise<void> {
  try {
    await connection.collection('outbox').dropIndex('lanes');
  } catch (error) {
    const { code } = error as { code?: unknown };
    if (code !== INDEX_NOT_FOUND && code !== NAMESPACE_NOT_FOUND) throw error;
  }
}

/** Retries rows of internal topics now, which earlier versions postponed for hours or gave up. */
export async function makeInternalRowsDue(connection: Connection): Promise<void> {
  const now = new Date();
  const expiresAt = new Date(now.getTime() + RETENTION_MS);
  await connection
    .collection('outbox')
    .updateMany(
      { topic: { $in: INTERNAL_TOPICS }, status: { $in: ['pending', 'dead'] } },
      { $set: { status: 'pending', attempts: 0, dueAt: now, expiresAt } },
    );
}
