// Brings an outbox of an earlier version into today's shape.
import type { Connection } from 'mongoose';
import { RETENTION_MS } from './outbox.model.ts';

/** Those of the versions before: a migration does the same forever. */
const INTERNAL_TOPICS = ['attestation', 'event'];
const [INDEX_NOT_FOUND, NAMESPACE_NOT_FOUND] = [27, 26];

/** Due rows are found by organisation first. */
export async function dropLanesIndex(connection: Connection): Promise<void> {
  try {
    await connection.collection('outbox').dropIndex('lanes');
  } catch (error) {
    const { code } = error as { code?: unknown };
    if (code !== INDEX_NOT_FOUND && code !== NAMESPACE_NOT_FOUND) throw error;
  }
}

/** Rows that need nothing but the database, which earlier versions put off for hours or gave up, are tried again now. */
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
