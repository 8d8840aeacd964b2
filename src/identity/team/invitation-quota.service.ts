// Limits the invitation mails of an organisation per day: to one address, and in total.
import type { Platform } from '../../platform/platform.ts';
import { AppError } from '../../errors.ts';
import type { InvitationDocument } from './invitations.model.ts';

const DAY_SECONDS = 24 * 3600;

/**
 * Call it after `memberships.lockOrganization`, before the mail is queued.
 * @throws AppError `RATE_LIMIT_EXCEEDED`
 */
export async function requireInvitationQuota(
  { clock, models, config }: Platform,
  organizationId: string,
  email: string,
): Promise<void> {
  const since = new Date(clock.now().getTime() - DAY_SECONDS * 1000);
  const recent = await models.invitations
    .find({ organizationId, sentAt: { $gt: since } }, 'email sentAt')
    .lean<Pick<InvitationDocument, 'email' | 'sentAt'>[]>();
  const listRecentMails = (among: typeof recent): Date[] =>
    among.flatMap(({ sentAt }) => sentAt.filter((at) => at > since));
  requireBelow(
    listRecentMails(recent.filter((one) => one.email === email)).length,
    config.ASSAY_LIMIT_INVITATIONS_TO_ONE,
  );
  requireBelow(listRecentMails(recent).length, config.ASSAY_LIMIT_INVITATIONS);
}

function requireBelow(count: number, limit: number): void {
  if (count < limit) return;
  throw new AppError('RATE_LIMIT_EXCEEDED', `Too many invitation mails: ${limit} per day`, {
    data: { limit, windowSeconds: DAY_SECONDS },
    headers: { 'Retry-After': String(DAY_SECONDS / 24) },
  });
}
