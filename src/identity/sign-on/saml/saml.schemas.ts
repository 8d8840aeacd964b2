// Inputs and views of SAML (document 1, section 4.1).
import { z } from 'zod';
import { nameSchemas } from '../../../http/declaration/schema-names.ts';
import { optional, withDefault } from '../../../http/declaration/optional.ts';
import { emailAddress, idParam } from '../../../http/declaration/views.ts';

const address = z.string().max(2000);

/** Names the organisation, or an address of its domain. */
export const samlInitiateInput = z
  .strictObject({
    organizationId: optional(idParam),
    email: optional(emailAddress),
    returnTo: optional(address),
  })
  .refine(({ organizationId, email }) => (organizationId === undefined) !== (email === undefined), {
    error: 'give either organizationId or email',
  });

/** Other members of the form are ignored; a missing message is refused like an invalid one. */
export const responseForm = z.object({
  SAMLResponse: withDefault(z.string(), ''),
  RelayState: withDefault(z.string(), ''),
});

export const logoutForm = z.object({
  SAMLRequest: withDefault(z.string(), ''),
  SAMLResponse: withDefault(z.string(), ''),
  RelayState: withDefault(z.string(), ''),
});
/** The organisation whose identity provider sends the message. */
export const logoutQuery = z.object({ org: idParam });
/** The message is read from the raw query, which the signature covers. */
export const logoutAddress = logoutQuery.extend({
  SAMLRequest: optional(z.string()),
  SAMLResponse: optional(z.string()),
  RelayState: optional(z.string()),
  SigAlg: optional(z.string()),
  Signature: optional(z.string()),
});

nameSchemas({
  SamlInitiationInput: samlInitiateInput,
  SamlResponseForm: responseForm,
  SamlLogoutForm: logoutForm,
});
