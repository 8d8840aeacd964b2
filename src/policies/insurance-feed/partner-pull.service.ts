// Serves the insurance feed to insurers that sign their requests with a key shared with the installation.
import type { z } from 'zod';
import type { PlatformContext } from '../../platform/context.ts';
import type { Platform } from '../../platform/platform.ts';
import { createSystemAuditEvent } from '../../domain/record/audit-event.ts';
import { authenticateMessage, type MessageRefusal } from '../../domain/signed-message.ts';
import { AppError, type Code } from '../../errors.ts';
import { writeAudit } from '../../identity/audit/audit.service.ts';
import { generateFeed } from './insurance-feed.service.ts';
import type { pullInput } from './partner-pull.schemas.ts';
import type { InsuranceFeed } from './insurance-feed.schemas.ts';
import { loadOrganizationSettings } from '../../identity/organization/organization.service.ts';
import { useMessageOnce } from '../../identity/sign-on/login/used-messages.service.ts';

type Pull = z.output<typeof pullInput>;
interface Sender {
  ip: string;
  userAgent: string | null;
}

const REFUSED: Readonly<Record<MessageRefusal, Code>> = {
  'malformed time': 'INVALID_TIMESTAMP',
  'wrong signature': 'TOKEN_VERIFICATION_FAILED',
  'outside the window': 'PARTNER_REPLAY_WINDOW',
};
const MINUTE_MS = 60_000;
const NO_KEYS = new Map<string, never>();

/**
 * Accepts each message once.
 * @throws AppError `INVALID_TIMESTAMP`, `TOKEN_VERIFICATION_FAILED` for a wrong signature or a used message,
 * `PARTNER_REPLAY_WINDOW`, `FORBIDDEN`
 */
export async function pullFeed(
  { platform }: PlatformContext,
  message: Pull,
  sender: Sender,
): Promise<InsuranceFeed> {
  const { clock, config } = platform;
  const keys = config.ASSAY_PARTNER_KEYS ?? NO_KEYS;
  const windowMs = config.ASSAY_REPLAY_WINDOW_MINUTES * MINUTE_MS;
  const judged = authenticateMessage(message, { keys, windowMs, now: clock.now().getTime() });
  if ('refusal' in judged) throw new AppError(REFUSED[judged.refusal]);
  const { payload, keyId, signature } = message;
  const { organizationId } = payload;
  await requireOptIn(platform, message, sender);
  await useMessageOnce(platform, organizationId, {
    issuer: `partner:${keyId}`,
    id: signature.toLowerCase(),
  });
  const sentFeed = await generateFeed(platform, organizationId);
  await recordPull(platform, message, { ...sender, sentFeed });
  return sentFeed;
}

/** Answers alike for an unknown organisation and one that has not opted in. @throws AppError `FORBIDDEN` */
async function requireOptIn(platform: Platform, message: Pull, sender: Sender): Promise<void> {
  const { organizationId } = message.payload;
  const refusal = new AppError('FORBIDDEN', 'No such organisation has opted in');
  const found = await loadOrganizationSettings(platform, { organizationId }).catch(
    (error: unknown) => {
      throw error instanceof AppError && error.code === 'NOT_FOUND' ? refusal : error;
    },
  );
  const { enabled, partners } = found.insuranceFeed;
  if (enabled && (partners?.includes(message.keyId) ?? true)) return;
  await recordPull(platform, message, { ...sender, sentFeed: null });
  throw refusal;
}

/** Writes an audit entry for every request, whether the partner got the feed or not. */
async function recordPull(
  platform: Platform,
  { payload: { organizationId }, keyId }: Pull,
  { ip: ipAddress, userAgent, sentFeed }: Sender & { sentFeed: InsuranceFeed | null },
): Promise<void> {
  await writeAudit(
    platform,
    createSystemAuditEvent({
      organizationId,
      action: 'partner.insurance_pull',
      resource: 'insurance_feed',
      status: sentFeed ? 'success' : 'failure',
      metadata: sentFeed
        ? { partner: keyId, month: sentFeed.period.month, digest: sentFeed.digest }
        : { partner: keyId },
      ipAddress,
      userAgent,
    }),
  );
}
