// Words of decisions as earlier versions indexed them: the consumer indexes all again from the ledger.
import type { Connection } from 'mongoose';
import type { CursorDocument } from '../../../ledger/follow/cursors.model.ts';
import type { WordSegmentDocument } from './word-segments.model.ts';

/** The words of each decision stood in a document of their own. Idempotent. */
export async function dropDecisionSearches(connection: Connection): Promise<void> {
  await connection.dropCollection('decision_searches');
  await connection
    .model<CursorDocument>('Cursor')
    .deleteMany({ consumer: 'decision-search' })
    .setOptions({ crossTenant: true });
}

/** Words were cut at blanks alone, whatever their script, and folded by lower case. Idempotent. */
export async function reindexDecisionWords(connection: Connection): Promise<void> {
  await connection
    .model<WordSegmentDocument>('WordSegment')
    .deleteMany({})
    .setOptions({ crossTenant: true });
  await connection
    .model<CursorDocument>('Cursor')
    .updateMany({ consumer: 'decision-words' }, { $set: { sequence: 0 } })
    .setOptions({ crossTenant: true });
}
