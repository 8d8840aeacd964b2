// The name of a person at an identity provider: meaningful only with the provider, the protocol and the kind of name.

/**
 * Two names are equal only when all four members are: `mal` of one kind may be another person than `mal` of another.
 */
export interface ProviderName {
  protocol: 'oidc' | 'saml';
  /** The identity provider. */
  issuer: string;
  /** The claim (OpenID Connect) or the format of the NameID (SAML); null: unknown, stored by an earlier version. */
  format: string | null;
  subject: string;
}

/**
 * Whether a person with the name `before` may be the one with the name `now`, because the organisation has changed how
 * it names people: another provider or protocol, or another kind of name in its settings (`chosenFormat`; null: none).
 * Changes by the provider alone do not count: another name of the same kind is another person.
 */
export function isRenamed(
  before: ProviderName,
  now: ProviderName,
  chosenFormat: string | null,
): boolean {
  if (before.protocol !== now.protocol || before.issuer !== now.issuer) return true;
  return before.format !== null && before.format !== now.format && now.format === chosenFormat;
}
