// Why a SAML message is not believed: told to the organisation in its audit log, never to whoever sent it.

/** The message is not believed; its text says why and quotes nothing of it. */
export class SamlError extends Error {
  /** Whether the identity provider itself says that it vouches for nobody. */
  readonly isDenial: boolean;

  constructor(reason: string, isDenial = false) {
    super(reason);
    this.isDenial = isDenial;
  }
}

export function failSaml(reason: string): never {
  throw new SamlError(reason);
}
