// Drops the word indexes of earlier versions; the consumer indexes all decisions again from the ledger.
import type { Connection } from 'mongoose';
import type { CursorDocument } from '../../../ledger/follow/cursors.model.ts';
import type { WordSegmentDocument } from './word-segments.model.ts';

/** Drops the collection that held one document of words for each decision. Idempotent. */
export async function dropDecisionSearches(connection: Connection): Promise<void> {
  await connection.dropCollection('decision_searches');
  await connection
    .model<CursorDocument>('Cursor')
    .deleteMany({ consumer: 'decision-search' })
    .setOptions({ crossTenant: true });
}

/** Drops segments whose words were split at blanks only and folded by lower case. Idempotent. */
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
