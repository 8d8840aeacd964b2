// Inputs and views of SAML (document 1, section 4.1).
import { z } from 'zod';
import { emailAddress, idParam } from '../../../http/declaration/views.ts';

const address = z.string().max(2000);

/** Whose sign-on: that of the organisation, or of the domain of an address. */
export const samlInitiateInput = z
  .strictObject({
    organizationId: idParam.optional(),
    email: emailAddress.optional(),
    returnTo: address.optional(),
  })
  .refine(({ organizationId, email }) => (organizationId === undefined) !== (email === undefined), {
    error: 'give either organizationId or email',
  });

/** Other members of the form are ignored; what is missing is refused like what is wrong. */
export const responseForm = z.object({
  SAMLResponse: z.string().default(''),
  RelayState: z.string().default(''),
});

export const logoutForm = z.object({
  SAMLRequest: z.string().default(''),
  SAMLResponse: z.string().default(''),
  RelayState: z.string().default(''),
});
/** The organisation whose identity provider sends the message. */
export const logoutQuery = z.object({ org: idParam });
/** The message is read from the raw query, which is what was signed. */
export const logoutAddress = logoutQuery.extend({
  SAMLRequest: z.string().optional(),
  SAMLResponse: z.string().optional(),
  RelayState: z.string().optional(),
  SigAlg: z.string().optional(),
  Signature: z.string().optional(),
});
