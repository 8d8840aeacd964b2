// Drops what consumers of earlier versions kept; those of today go over all decisions again.
import type { Connection } from 'mongoose';
import type { CursorDocument } from '../../../ledger/follow/cursors.model.ts';
import type { WordSegmentDocument } from './word-segments.model.ts';

/** Drops the collection that a consumer kept, and how far it had come. Idempotent. */
export const dropConsumer =
  ({ consumer, collection }: { consumer: string; collection: string }) =>
  async (connection: Connection): Promise<void> => {
    await connection.dropCollection(collection);
    await connection
      .model<CursorDocument>('Cursor')
      .deleteMany({ consumer })
      .setOptions({ crossTenant: true });
  };

/** Drops segments of earlier versions, which had other words or fewer of them. Idempotent. */
export async function resetDecisionWords(connection: Connection): Promise<void> {
  await connection
    .model<WordSegmentDocument>('WordSegment')
    .deleteMany({})
    .setOptions({ crossTenant: true });
  await connection
    .model<CursorDocument>('Cursor')
    .updateMany({ consumer: 'decision-words' }, { $set: { sequence: 0 } })
    .setOptions({ crossTenant: true });
}

/** Drops both indexes: terms of earlier versions do not say whom a decision is about. Idempotent. */
export async function resetDecisionIndexes(connection: Connection): Promise<void> {
  await connection
    .model<WordSegmentDocument>('FacetSegment')
    .deleteMany({})
    .setOptions({ crossTenant: true });
  await resetDecisionWords(connection);
}
