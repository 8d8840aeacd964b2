// Keeps which span belongs to a guarding decision: the first with its action, on all instances and in all exports.
import type { Context } from '../../platform/context.ts';
import { isDuplicateKey } from '../../errors.ts';
import { DURABLE } from '../../platform/mongo/concerns.ts';
import type { GuardedSpanDocument } from './guarded-spans.model.ts';

/** Returns the span of each decision: the one that was kept before, else the one that is given. */
export async function keepFirstSpans(
  { platform, tenant: { organizationId } }: Context,
  spans: ReadonlyMap<string, string>,
): Promise<ReadonlyMap<string, string>> {
  if (spans.size === 0) return new Map();
  const changes = [...spans].map(([traceId, span]) => {
    const filter = { organizationId, traceId };
    return { updateOne: { filter, update: { $setOnInsert: { span } }, upsert: true } };
  });
  await platform.models.guardedSpans
    .bulkWrite(changes, { ordered: false, ...DURABLE })
    .catch((error: unknown) => {
      // Another instance was faster with some of them.
      if (!isDuplicateKey(error)) throw error;
    });
  const traceId = { $in: [...spans.keys()] };
  const kept = await platform.models.guardedSpans
    .find({ organizationId, traceId })
    .lean<GuardedSpanDocument[]>();
  return new Map(kept.map((each) => [each.traceId, each.span]));
}
