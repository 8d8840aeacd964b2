// Who somebody is at an identity provider: a name is worth nothing without who gave it, how, and what kind of name it is.

/** Two names are the same only with all four members: what one kind calls `mal`, another may call somebody else. */
export interface ProviderName {
  protocol: 'oidc' | 'saml';
  /** Of the identity provider. */
  issuer: string;
  /** The claim (OpenID Connect) or the format of the NameID (SAML); null: not known, of an earlier version. */
  format: string | null;
  subject: string;
}

/**
 * Whether somebody who had the name `before` may have the name `now` because their organisation itself names people otherwise
 * since: by another provider or protocol, or by the kind of name that its settings ask for (`chosenFormat`; null: by none). What a
 * provider does by itself does not count: another name of the same kind is another person.
 */
export function isRenamed(
  before: ProviderName,
  now: ProviderName,
  chosenFormat: string | null,
): boolean {
  if (before.protocol !== now.protocol || before.issuer !== now.issuer) return true;
  return before.format !== null && before.format !== now.format && now.format === chosenFormat;
}
