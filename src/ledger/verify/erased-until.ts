// Reads until when the committed values of a deleted organisation were erased: its chains rightly lack them.
import type { Models } from '../../models.ts';
import type { Clock } from '../../platform/clock.ts';

/** Reads the time of the last erased value; null while the organisation exists, whatever its log says. */
export async function readErasedUntil(
  organizationId: string,
  { models, clock }: { models: Models; clock: Clock },
): Promise<Date | null> {
  if (await models.organizations.exists({ _id: organizationId })) return null;
  const deletion = await models.organizationDeletions.findOne({ organizationId }).lean();
  return deletion && (deletion.erasedAt ?? clock.now());
}
