// Drops the index of due rows by lane alone: they are found by organisation first.
import type { Connection } from 'mongoose';

const [INDEX_NOT_FOUND, NAMESPACE_NOT_FOUND] = [27, 26];

export async function dropLanesIndex(connection: Connection): Promise<void> {
  try {
    await connection.collection('outbox').dropIndex('lanes');
  } catch (error) {
    const { code } = error as { code?: unknown };
    if (code !== INDEX_NOT_FOUND && code !== NAMESPACE_NOT_FOUND) throw error;
  }
}
