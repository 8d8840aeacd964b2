// Errors of SAML messages: for the organisation's audit log, never for the sender.

/** A SAML message is refused. The text gives the reason and quotes nothing of the message. */
export class SamlError extends Error {
  /** Whether the identity provider itself reports that authentication failed. */
  readonly isDenial: boolean;

  constructor(reason: string, isDenial = false) {
    super(reason);
    this.isDenial = isDenial;
  }
}

/** @throws SamlError */
export function failSaml(reason: string): never {
  throw new SamlError(reason);
}
