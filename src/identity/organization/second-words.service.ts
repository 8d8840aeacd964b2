// Requires a second person for changes that weaken a control, and notifies managers (decisions: switches that weaken).
import type { Platform } from '../../platform/platform.ts';
import type { Tenant, User } from '../../domain/identity/tenant.ts';
import {
  type ControlRequest,
  decideConfirmation,
  type Confirmation,
} from '../../domain/dual-control/second-word.ts';
import { findOr404 } from '../../platform/mongo/queries.ts';
import type { SecurityNotices } from './weakening-notices.service.ts';

interface Deps {
  managerNotices: SecurityNotices;
}

/** A member of the organisation who changes its settings. */
export interface Changer {
  tenant: Tenant;
  user: User;
}

/** The weakened control, in words for managers, and the earlier request. */
interface Weakening {
  what: string;
  link: string;
  asked: ControlRequest | null;
}

export function createSecondWords(
  { models, clock }: Pick<Platform, 'models' | 'clock'>,
  { managerNotices }: Deps,
) {
  return {
    /** Decides whether the change is confirmed, requested or waiting. Call it in the request's transaction. */
    async requestSecondWord(
      { tenant: { organizationId }, user: { userId, role, name } }: Changer,
      { what, link, asked }: Weakening,
    ): Promise<Confirmation> {
      const membership = await findOr404(
        models.memberships.findOne({ organizationId, userId }, 'createdAt').lean(),
      );
      const word = decideConfirmation(
        asked,
        { userId, role, memberSince: membership.createdAt },
        clock.now(),
      );
      if (word !== 'waits') {
        const title =
          word === 'given' ? `${what}: confirmed by ${name}` : `${what}: asked for by ${name}`;
        const body =
          word === 'given'
            ? 'It takes effect now.'
            : 'It takes effect when another owner or admin sends the same change, or after 72 hours when the owner who asked sends it again.';
        await managerNotices.notifyManagers(organizationId, {
          type: 'security',
          title,
          body,
          link,
        });
      }
      return word;
    },
  };
}
export type SecondWords = ReturnType<typeof createSecondWords>;
