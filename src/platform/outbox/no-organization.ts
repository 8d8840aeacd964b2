// Rows of the outbox that belong to no organisation: mail requested without signing in, and what outlives its organisation.

/** Stands in the place of an organisation's id. */
export const NO_ORGANIZATION = '0'.repeat(24);
