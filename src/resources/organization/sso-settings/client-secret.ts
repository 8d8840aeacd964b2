// What a sealed client secret is bound to.

/** Additional authenticated data: the secret of one organisation opens for no other. */
export const clientSecretAad = (organizationId: string): string =>
  `organisation ${organizationId} client secret`;
