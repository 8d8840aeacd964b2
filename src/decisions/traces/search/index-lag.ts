// Measures how far a consumer's index is behind its chain, for instance after an upgrade.
import type { Platform } from '../../../platform/platform.ts';
import type { CursorDocument } from '../../../ledger/follow/cursors.model.ts';

type Deps = Pick<Platform, 'models' | 'ledger'>;

/** Number of newest entries that the consumer has not indexed yet. */
export async function measureIndexLag(
  { models, ledger }: Deps,
  organizationId: string,
  consumer: string,
): Promise<number> {
  const cursor = await models.cursors
    .findOne({ organizationId, consumer }, 'sequence')
    .lean<CursorDocument>();
  const head = await ledger.appender.readHead(organizationId);
  return Math.max(0, (head?.sequence ?? 0) - (cursor?.sequence ?? 0));
}
