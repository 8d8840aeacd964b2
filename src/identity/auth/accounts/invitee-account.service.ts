// Accounts of invitees: an existing one is checked by its password, a new one is created (document 1, section 3).
import type { Platform } from '../../../platform/platform.ts';
import { AppError } from '../../../errors.ts';
import { explainIssue } from '../../../platform/inputs/explain-issue.ts';
import { AFTER, insertOne } from '../../../platform/mongo/queries.ts';
import { registerInput } from '../auth.schemas.ts';
import type { Origin } from '../sessions/sessions.service.ts';
import { recordSignInFailure } from './sign-in-failures.service.ts';
import type { UserDocument } from './users.model.ts';

/** The input of an invitee who accepts an invitation sent to `email`. */
export interface Invitee {
  email: string;
  name: string;
  password: string;
}

/** An existing account whose password was correct, or the data of a new one. */
export type InviteeAccount =
  | { known: UserDocument }
  | { fresh: { email: string; name: string; passwordHash: string } };

/** Costs one password hash. @throws AppError `INVALID_CREDENTIALS` for an account's wrong password, `VALIDATION_ERROR` for a new one that breaks the rule */
export async function identifyInvitee(
  platform: Platform,
  { email, name, password }: Invitee,
  origin: Origin,
): Promise<InviteeAccount> {
  const known = await platform.models.users.findOne({ email }).lean<UserDocument>();
  if (known) {
    if (await platform.passwords.verify(known.passwordHash, password)) return { known };
    recordSignInFailure(platform, known, {
      origin,
      method: 'invitation',
      detail: 'wrong password',
    });
    throw known.passwordHash === null ? toNoPasswordError() : new AppError('INVALID_CREDENTIALS');
  }
  requireGoodPassword(password);
  return { fresh: { email, name, passwordHash: await platform.passwords.hash(password) } };
}

/**
 * The account of an invitee, whose next sign-in leads to `organizationId`; the token came by mail, so the mailbox is proved.
 * Call it in the transaction of the acceptance. @throws AppError `INVALID_CREDENTIALS` when the password has changed since
 */
export async function openInviteeAccount(
  { clock, models }: Platform,
  invitee: InviteeAccount,
  organizationId: string,
): Promise<UserDocument> {
  const now = clock.now();
  // The directory of the first organisation may not change the account of a user who joins a second one.
  const proved = {
    emailVerifiedAt: now,
    lastOrganizationId: organizationId,
    provisionedBy: null,
  };
  if ('fresh' in invitee)
    return insertOne(models.users, { ...invitee.fresh, passwordChangedAt: now, ...proved });
  const { _id, passwordHash } = invitee.known;
  const found = await models.users
    .findOneAndUpdate({ _id, passwordHash }, { $set: proved }, AFTER)
    .lean<UserDocument>();
  if (!found) throw new AppError('INVALID_CREDENTIALS');
  return found;
}

/**
 * Says that a sign-on elsewhere created the account; only the holder of the mailbox, who has the invitation, learns it.
 */
const toNoPasswordError = (): AppError =>
  new AppError(
    'INVALID_CREDENTIALS',
    'This account has no password, since it was made by a sign-on elsewhere: set one by forgot-password, then accept with it',
    { data: { reason: 'NO_PASSWORD' } },
  );

/** @throws AppError `VALIDATION_ERROR` */
function requireGoodPassword(password: string): void {
  const { error } = registerInput.shape.password.safeParse(password, { error: explainIssue });
  if (!error) return;
  const reasons = error.issues.map(({ message }) => message).join('; ');
  throw new AppError('VALIDATION_ERROR', `password: ${reasons}`);
}
