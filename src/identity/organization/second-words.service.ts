// Requires a second person for changes that weaken a control, and notifies managers (decisions: switches that weaken).
import type { Platform } from '../../platform/platform.ts';
import type { Tenant, User } from '../../domain/identity/tenant.ts';
import {
  type ControlRequest,
  decideConfirmation,
  type Confirmation,
} from '../../domain/dual-control/second-word.ts';
import { findOr404 } from '../../platform/mongo/queries.ts';
import type { Notify } from '../../domain/events/announcement.ts';

interface Deps {
  notify: Notify;
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
  /** After how long an owner may confirm their own request; absent: 72 hours. */
  ownerWait?: { ms: number; words: string };
}

export function createSecondWords(
  { models, clock }: Pick<Platform, 'models' | 'clock'>,
  { notify }: Deps,
) {
  return {
    /** Decides whether the change is confirmed, requested or waiting. Call it in the request's transaction. */
    async requestSecondWord(
      { tenant: { organizationId }, user: { userId, role, name } }: Changer,
      { what, link, asked, ownerWait }: Weakening,
    ): Promise<Confirmation> {
      const membership = await findOr404(
        models.memberships.findOne({ organizationId, userId }, 'createdAt').lean(),
      );
      const word = decideConfirmation(
        asked,
        { userId, role, memberSince: membership.createdAt },
        { now: clock.now(), ownerWaitMs: ownerWait?.ms },
      );
      if (word === 'waits') return word;
      const after = ownerWait?.words ?? '72 hours';
      const about = [{ what, by: name, isConfirmed: word === 'given', link, after }];
      await notify({ organizationId, event: 'control.requested', about });
      return word;
    },
  };
}
export type SecondWords = ReturnType<typeof createSecondWords>;
