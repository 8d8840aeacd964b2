// Serves the insurance feed to insurers that sign their requests with a key shared with the installation.
import type { z } from 'zod';
import type { Platform } from '../../platform/platform.ts';
import { createSystemAuditEvent } from '../../domain/record/audit-event.ts';
import { authenticateMessage, type MessageRefusal } from '../../domain/signed-message.ts';
import { AppError, type Code } from '../../errors.ts';
import type { AuditService } from '../../identity/audit/audit.service.ts';
import type { OrganizationService } from '../../identity/organization/organization.service.ts';
import type { UsedMessageService } from '../../identity/sign-on/login/used-messages.service.ts';
import type { InsuranceFeedService } from './insurance-feed.service.ts';
import type { pullInput } from './partner-pull.schemas.ts';
import type { InsuranceFeed } from './insurance-feed.schemas.ts';

interface Deps {
  audit: AuditService;
  feed: InsuranceFeedService;
  organizations: OrganizationService;
  usedMessages: UsedMessageService;
}
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

export function createPartnerPullService(platform: Pick<Platform, 'clock' | 'config'>, deps: Deps) {
  const { clock, config } = platform;
  const { audit, feed, organizations, usedMessages } = deps;
  const keys = config.ASSAY_PARTNER_KEYS ?? new Map<string, never>();
  const windowMs = config.ASSAY_REPLAY_WINDOW_MINUTES * MINUTE_MS;

  /** Writes an audit entry for every request, whether the partner got the feed or not. */
  async function recordPull(
    { payload: { organizationId }, keyId }: Pull,
    { ip: ipAddress, userAgent }: Sender,
    sentFeed: InsuranceFeed | null,
  ): Promise<void> {
    await audit.write(
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

  /** Answers alike for an unknown organisation and one that has not opted in. @throws AppError `FORBIDDEN` */
  async function requireOptIn(message: Pull, sender: Sender): Promise<void> {
    const { organizationId } = message.payload;
    const refusal = new AppError('FORBIDDEN', 'No such organisation has opted in');
    const found = await organizations.loadSettings({ organizationId }).catch((error: unknown) => {
      throw error instanceof AppError && error.code === 'NOT_FOUND' ? refusal : error;
    });
    const { enabled, partners } = found.insuranceFeed;
    if (enabled && (partners?.includes(message.keyId) ?? true)) return;
    await recordPull(message, sender, null);
    throw refusal;
  }

  return {
    /**
     * Accepts each message once.
     * @throws AppError `INVALID_TIMESTAMP`, `TOKEN_VERIFICATION_FAILED` for a wrong signature or a used message,
     * `PARTNER_REPLAY_WINDOW`, `FORBIDDEN`
     */
    async pullFeed(message: Pull, sender: Sender): Promise<InsuranceFeed> {
      const judged = authenticateMessage(message, { keys, windowMs, now: clock.now().getTime() });
      if ('refusal' in judged) throw new AppError(REFUSED[judged.refusal]);
      const { payload, keyId, signature } = message;
      const { organizationId } = payload;
      await requireOptIn(message, sender);
      await usedMessages.useOnce(organizationId, `partner:${keyId}`, signature.toLowerCase());
      const sentFeed = await feed.generate({ organizationId });
      await recordPull(message, sender, sentFeed);
      return sentFeed;
    },
  };
}
export type PartnerPullService = ReturnType<typeof createPartnerPullService>;
