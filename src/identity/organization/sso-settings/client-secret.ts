// The additional authenticated data of sealed client secrets.

/** Binds the secret to its organisation. */
export const toClientSecretAad = (organizationId: string): string =>
  `organisation ${organizationId} client secret`;
