// Inputs and views of sign-on, and the answers of a provider without ID tokens (document 1, section 4.1).
import { z } from 'zod';
import { nameSchemas } from '../../../http/declaration/schema-names.ts';
import { optional, withDefault } from '../../../http/declaration/optional.ts';
import { emailAddress, id, idParam, instant, role } from '../../../http/declaration/views.ts';

const returnTo = optional(z.string().max(2000)).describe(
  'An address of the redirect allow-list, with any query',
);
export const startQuery = z.object({ returnTo });

/** Repeated or too long parameters count as absent, because a browser gets a redirect, not an error document. */
const parameter = optional(
  z
    .string()
    .max(8000)
    .nullable()
    .catch(null)
    .transform((given) => given ?? undefined),
);
export const callbackQuery = z.object({
  code: parameter,
  state: parameter,
  iss: parameter,
  error: parameter,
  error_description: parameter,
});
export type CallbackQuery = z.output<typeof callbackQuery>;

export const initiateInput = z.object({ email: emailAddress, returnTo });
export const initiatedView = z.object({
  provider: z.enum(['oidc', 'saml']),
  redirectUrl: z.string().describe('Of the identity provider: where the browser goes now'),
});

export const logoutInput = z.strictObject({ returnTo });
export const loggedOutView = z.object({
  revoked: z.number().describe('Sessions that have ended here'),
  redirectUrl: z
    .string()
    .nullable()
    .describe(
      'Where the browser goes to end its session at the provider; null: no provider opened the session, or it has no such place',
    ),
});
/** The query of a browser that returns from a logout. */
export const backQuery = z.object({ state: parameter });
/** The form of OpenID Connect Back-Channel Logout; a missing token is refused like an invalid one. */
export const logoutTokenForm = z.object({ logout_token: withDefault(z.string().max(20_000), '') });
export const logoutAcceptedView = z.object({ accepted: z.literal(true) });

export const ofOrganization = z.object({ orgId: idParam });

export const locationView = z.string();
export const exchangedView = z.object({
  token: z.string(),
  expiresAt: instant,
  organizationId: id,
  role,
});
export type ExchangedSession = z.input<typeof exchangedView>;
export const signInOptionsView = z.object({
  registration: z.enum(['open', 'invite']),
  social: z.array(z.object({ id: z.enum(['oauth-a', 'oauth-b', 'oauth-c']), name: z.string() })),
});
export type SignInOptions = z.input<typeof signInOptionsView>;
export const secondStepView = z.object({
  mfaRequired: z.literal(true),
  tempToken: z.string(),
  enrolment: z
    .object({ secret: z.string(), otpauthUrl: z.string(), qrCode: z.string() })
    .exactOptional()
    .describe(
      'Where the organisation asks for a second factor and there is none yet: its first code goes with the temp token, and switches it on',
    ),
});
export type ExchangedTempToken = z.input<typeof secondStepView>;

/** `GET /user` of GitHub. */
export const gitHubUser = z.object({
  id: z.int(),
  login: z.string(),
  name: withDefault(z.string().nullable(), null),
});
/** `GET /user/emails` of GitHub. */
export const gitHubEmails = z.array(
  z.object({ email: z.string(), primary: z.boolean(), verified: z.boolean() }),
);

nameSchemas({
  SignOnInitiationInput: initiateInput,
  InitiatedSignOn: initiatedView,
  SignOnLogoutInput: logoutInput,
  LoggedOut: loggedOutView,
  LogoutTokenForm: logoutTokenForm,
  AcceptedLogout: logoutAcceptedView,
  ExchangedSession: exchangedView,
  SignInOptions: signInOptionsView,
  SecondStep: secondStepView,
});
