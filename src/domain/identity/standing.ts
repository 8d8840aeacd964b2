// The standing of accounts and memberships: unused, locked, enterable, accepted, present.

interface AccountUse {
  lastOrganizationId: object | null;
  passwordHash: string | null;
  emailVerifiedAt: Date | null;
}

/** Whether an account made by a directory was never used: it has never been entered, and no credential opens it. */
export const isUnused = ({
  lastOrganizationId,
  passwordHash,
  emailVerifiedAt,
}: AccountUse): boolean =>
  lastOrganizationId === null && passwordHash === null && emailVerifiedAt === null;

/** The time to prove the mailbox of an account with a password, where the installation requires it: a day. */
const PROOF_DUE_MS = 24 * 3600_000;

interface MailboxProof {
  emailVerifiedAt: Date | null;
  passwordChangedAt: Date | null;
}

/**
 * Whether the mailbox was not proved in time: the password no longer opens the account until a mailed link proves it.
 */
export function isLocked({ emailVerifiedAt, passwordChangedAt }: MailboxProof, now: Date): boolean {
  if (emailVerifiedAt !== null || passwordChangedAt === null) return false;
  return now.getTime() - passwordChangedAt.getTime() > PROOF_DUE_MS;
}

/** Matches memberships that are neither suspended nor waiting for proof of the address. */
export const ENTERABLE = { isActive: true, awaitsProof: { $ne: true } } as const;

/** Matches accepted memberships: by the person, or by a party that controls the address. */
export const NOT_PENDING = { isPending: { $ne: true } } as const;

/** Matches present members; an offer that was not accepted does not count. */
export const PRESENT = { ...ENTERABLE, ...NOT_PENDING } as const;
