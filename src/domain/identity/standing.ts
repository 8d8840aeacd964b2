// What an account or a membership counts for: unused, enterable, the person's own, present.

interface Use {
  lastOrganizationId: object | null;
  passwordHash: string | null;
  emailVerifiedAt: Date | null;
}

/** An account that a directory has made: nobody has entered it in any way, and no credential opens it. */
export const isUnused = ({ lastOrganizationId, passwordHash, emailVerifiedAt }: Use): boolean =>
  lastOrganizationId === null && passwordHash === null && emailVerifiedAt === null;

/** Memberships that are not suspended, and not given to an address that is still unproved. */
export const ENTERABLE = { isActive: true, awaitsProof: { $ne: true } } as const;

/** Not merely offered: the person has been here, or was taken in by whoever may speak for the address. */
export const THEIRS = { isPending: { $ne: true } } as const;

/** Members who are here: an offer that nobody has taken is none. */
export const PRESENT = { ...ENTERABLE, ...THEIRS } as const;
