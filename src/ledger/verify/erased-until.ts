// Until when what the entries of a deleted organisation committed to was erased: its chains lack those values rightly.
import type { Models } from '../../models.ts';
import type { Clock } from '../../platform/clock.ts';

/** Null while the organisation lives, whatever its log says. */
export async function erasedUntil(
  organizationId: string,
  { models, clock }: { models: Models; clock: Clock },
): Promise<Date | null> {
  if (await models.organizations.exists({ _id: organizationId })) return null;
  const deletion = await models.organizationDeletions.findOne({ organizationId }).lean();
  return deletion && (deletion.erasedAt ?? clock.now());
}
