// Mutes groups of decisions for a while: they are listed apart, and nothing else changes.
import { AppError } from '../../../errors.ts';
import type { Context } from '../../../platform/context.ts';
import { toObjectId } from '../../../ledger/ledger.model.ts';
import { findOr404, READ_MAX_MS } from '../../../platform/mongo/queries.ts';
import { MUTE_DAYS, type Mute } from './groups.schemas.ts';

/** Muted groups of an organisation. */
const MUTES_MAX = 1_000;
const DAY_MS = 86_400_000;

/** Those that have not ended, by group. */
export async function loadMutes({ platform, tenant }: Context): Promise<Map<string, Mute>> {
  const { organizationId } = tenant;
  const found = await platform.models.mutedGroups
    .find({ organizationId, until: { $gt: platform.clock.now() } }, 'group until by')
    .limit(MUTES_MAX)
    .lean();
  return new Map(found.map(({ group, until, by }) => [group, { until, by }]));
}

/** @throws AppError `VALIDATION_ERROR`, `NOT_FOUND`, `INVALID_OPERATION` (too many are muted) */
export async function muteGroup(
  ctx: Context,
  group: string,
  { until }: { until: Date },
): Promise<Mute> {
  const { platform, tenant } = ctx;
  const { organizationId, actor } = tenant;
  const now = platform.clock.now().getTime();
  if (until.getTime() <= now || until.getTime() > now + MUTE_DAYS * DAY_MS)
    throw new AppError('VALIDATION_ERROR', `until: must lie within the next ${MUTE_DAYS} days`);
  await requireGroup(ctx, group);
  const mutes = await loadMutes(ctx);
  if (!mutes.has(group) && mutes.size >= MUTES_MAX)
    throw new AppError('INVALID_OPERATION', `At most ${MUTES_MAX} groups are muted; end one first`);
  const by = toObjectId(String(actor.id));
  await platform.models.mutedGroups.updateOne(
    { organizationId, group },
    { $set: { until, by } },
    { upsert: true },
  );
  return { until, by };
}

/** Without effect where it is not muted. @throws AppError `NOT_FOUND` */
export async function unmuteGroup(ctx: Context, group: string): Promise<void> {
  const { platform, tenant } = ctx;
  const { organizationId } = tenant;
  await requireGroup(ctx, group);
  await platform.models.mutedGroups.deleteOne({ organizationId, group });
}

async function requireGroup({ platform, tenant }: Context, group: string): Promise<void> {
  const { organizationId } = tenant;
  const query = platform.models.traces.exists({ organizationId, alike: group });
  await findOr404(query.maxTimeMS(READ_MAX_MS));
}
