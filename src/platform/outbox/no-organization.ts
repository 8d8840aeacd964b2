// The owner of outbox rows without an organisation, such as mail requested before signing in.

/** Stored instead of an organisation's id. */
export const NO_ORGANIZATION = '0'.repeat(24);
