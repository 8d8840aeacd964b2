// What an answer says of a limit that is passed.
import type { LimitScope, LimitWindow } from '@assay/policy';

/** A limit as the decision that it stopped commits to it. */
export interface LimitNotice {
  /** The id of the policy, and the place of the action in it. */
  policy: string;
  at: number;
  type: 'block' | 'flag_for_review';
  of: string;
  per: LimitScope;
  window: LimitWindow;
  most: number;
  /** How much could still be spent; null: what it would add cannot be read. */
  left: number | null;
  /** ISO 8601: when the oldest part of what is spent stops counting; null: never. */
  freesAt: string | null;
}
