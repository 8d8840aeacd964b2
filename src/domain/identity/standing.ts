// What an account or a membership counts for: unused, enterable, the person's own, present.

interface Use {
  lastOrganizationId: object | null;
  passwordHash: string | null;
  emailVerifiedAt: Date | null;
}

/** An account that a directory has made: nobody has entered it in any way, and no credential opens it. */
export const isUnused = ({ lastOrganizationId, passwordHash, emailVerifiedAt }: Use): boolean =>
  lastOrganizationId === null && passwordHash === null && emailVerifiedAt === null;

/** The mailbox of an account with a password is proved within a day, where the installation asks for that. */
const PROOF_DUE_MS = 24 * 3600_000;

interface Unproved {
  emailVerifiedAt: Date | null;
  passwordChangedAt: Date | null;
}

/** Nobody has proved the mailbox in time: the password opens the account no more, until a link in a mail has proved it. */
export function isLocked({ emailVerifiedAt, passwordChangedAt }: Unproved, now: Date): boolean {
  if (emailVerifiedAt !== null || passwordChangedAt === null) return false;
  return now.getTime() - passwordChangedAt.getTime() > PROOF_DUE_MS;
}

/** Memberships that are not suspended, and not given to an address that is still unproved. */
export const ENTERABLE = { isActive: true, awaitsProof: { $ne: true } } as const;

/** Not merely offered: the person has been here, or was taken in by whoever may speak for the address. */
export const THEIRS = { isPending: { $ne: true } } as const;

/** Members who are here: an offer that nobody has taken is none. */
export const PRESENT = { ...ENTERABLE, ...THEIRS } as const;
