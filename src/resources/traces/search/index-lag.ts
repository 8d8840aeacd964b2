// How far an index that a consumer makes is behind its chain: after an upgrade, or where much is posted.
import type { Platform } from '../../../composition/platform.ts';
import type { CursorDocument } from '../../../ledger/follow/cursors.model.ts';

type Deps = Pick<Platform, 'models' | 'ledger'>;

/** How many of the newest entries the index of a consumer does not tell of yet. */
export async function indexLag(
  { models, ledger }: Deps,
  organizationId: string,
  consumer: string,
): Promise<number> {
  const cursor = await models.cursors
    .findOne({ organizationId, consumer }, 'sequence')
    .lean<CursorDocument>();
  const head = await ledger.appender.head(organizationId);
  return Math.max(0, (head?.sequence ?? 0) - (cursor?.sequence ?? 0));
}
