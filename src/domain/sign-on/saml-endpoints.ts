// The SAML endpoints and entity ids of this service provider.

export interface SamlEndpoints {
  /** The entity id for an organisation, which is the URL of its metadata. */
  entityId(organizationId: string): string;
  /** The assertion consumer service of all organisations, which the audience distinguishes. */
  assertionConsumer: string;
  /** The single logout service of an organisation. */
  singleLogout(organizationId: string): string;
}

/** @param publicUrl without a trailing slash */
export function createSamlEndpoints(publicUrl: string): SamlEndpoints {
  const base = `${publicUrl}/api/v1/auth/saml`;
  return {
    entityId: (organizationId) => `${base}/metadata/${organizationId}`,
    assertionConsumer: `${base}/callback`,
    singleLogout: (organizationId) => `${base}/logout/callback?org=${organizationId}`,
  };
}
