// Our own addresses in SAML, which name us and bind every message to one organisation.

export interface SamlEndpoints {
  /** Our entity id for an organisation, which is where its metadata are. */
  entityId(organizationId: string): string;
  /** Where every response goes; the audience tells the organisations apart. */
  assertionConsumer: string;
  /** Where an organisation's identity provider sends logout messages; the address tells the organisations apart. */
  singleLogout(organizationId: string): string;
}

/** `publicUrl`: without a slash at the end. */
export function samlEndpoints(publicUrl: string): SamlEndpoints {
  const base = `${publicUrl}/api/v1/auth/saml`;
  return {
    entityId: (organizationId) => `${base}/metadata/${organizationId}`,
    assertionConsumer: `${base}/callback`,
    singleLogout: (organizationId) => `${base}/logout/callback?org=${organizationId}`,
  };
}
