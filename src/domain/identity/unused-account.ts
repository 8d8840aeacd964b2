// An account that a directory has made and nobody has used.

interface Use {
  lastOrganizationId: object | null;
  passwordHash: string | null;
  emailVerifiedAt: Date | null;
}

/** Nobody has entered the account in any way, and no credential opens it. */
export const isUnused = ({ lastOrganizationId, passwordHash, emailVerifiedAt }: Use): boolean =>
  lastOrganizationId === null && passwordHash === null && emailVerifiedAt === null;
