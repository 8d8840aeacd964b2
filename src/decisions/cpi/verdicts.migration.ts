// Verdicts of keys without the capability no longer count: the index is recounted, patterns start over (cpi.md).
import type { Connection } from 'mongoose';
import type { CursorDocument } from '../../ledger/follow/cursors.model.ts';
import type { DecisionPatternDocument } from '../traces/automatic-approval/patterns.model.ts';
import type { CpiDayDocument } from './cpi.model.ts';

const EVERYWHERE = { crossTenant: true };

/** Clears the daily counts and patterns, and makes the consumer start over. Idempotent. */
export async function resetVerdictCounts(connection: Connection): Promise<void> {
  await connection
    .model<DecisionPatternDocument>('DecisionPattern')
    .deleteMany({})
    .setOptions(EVERYWHERE);
  await connection.model<CpiDayDocument>('CpiDay').deleteMany({}).setOptions(EVERYWHERE);
  await connection
    .model<CursorDocument>('Cursor')
    .updateMany({ consumer: 'cpi' }, { $set: { sequence: 0 } })
    .setOptions(EVERYWHERE);
}
