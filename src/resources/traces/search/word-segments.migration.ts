// The words of each decision in a document of its own gave way to segments, which a consumer gathers from the ledger.
import type { Connection } from 'mongoose';
import type { CursorDocument } from '../../../ledger/follow/cursors.model.ts';

/** Idempotent. */
export async function dropDecisionSearches(connection: Connection): Promise<void> {
  await connection.dropCollection('decision_searches');
  await connection
    .model<CursorDocument>('Cursor')
    .deleteMany({ consumer: 'decision-search' })
    .setOptions({ crossTenant: true });
}
