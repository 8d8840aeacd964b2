// Why a SAML message is not believed: told to the organisation in its audit log, never to whoever sent it.

/** The message is not believed; its text says why and quotes nothing of it. */
export class SamlRefusal extends Error {}

export function refuse(reason: string): never {
  throw new SamlRefusal(reason);
}
