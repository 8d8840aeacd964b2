// Opens contents of many decisions, a few at a time.
import type { EncryptedDocument } from '../../../ledger/contents/contents.ts';
import type { Context } from '../../../platform/context.ts';
import { READ_MAX_MS } from '../../../platform/mongo/queries.ts';

/** Contents that are in memory at a time. */
const READ_AT_ONCE = 20;

/** The newest first. `fields`: with those that open the contents. */
export async function* readOpened<T extends EncryptedDocument>(
  { platform, tenant: { organizationId, signal } }: Context,
  chosen: readonly { traceId: string }[],
  fields: string,
): AsyncGenerator<T> {
  const traceIds = chosen.map(({ traceId }) => traceId);
  for (let from = 0; from < traceIds.length; from += READ_AT_ONCE) {
    signal?.throwIfAborted();
    const $in = traceIds.slice(from, from + READ_AT_ONCE);
    const stored = await platform.models.traces
      .find({ organizationId, traceId: { $in } }, fields)
      .sort({ sequence: -1 })
      .maxTimeMS(READ_MAX_MS)
      .lean<T[]>();
    yield* await platform.contents.decryptDocuments(organizationId, stored);
  }
}
