// Inputs and views of an organisation's SSO settings: its identity provider, and the mapping of groups to roles.
import { z } from 'zod';
import { EMAIL_NAME, PERSISTENT_NAME, UNSPECIFIED_NAME, MAX_CHARACTERS } from '@assay/saml';
import { compilePattern } from '@assay/patterns';
import { nameSchemas } from '../../../http/declaration/schema-names.ts';
import { optional, withDefault } from '../../../http/declaration/optional.ts';
import { boundedList, instant, role, singleLine } from '../../../http/declaration/views.ts';

const MAX_RULES = 50;

const address = singleLine(2000);
const claim = (name: string) => withDefault(singleLine(200), name);
const oidcInput = z.strictObject({
  issuer: address
    .regex(/^[^?#]*$/, 'has neither query nor fragment')
    .describe('As the provider spells it; its configuration is read below /.well-known/'),
  clientId: singleLine(500),
  clientSecret: optional(z.string().min(1).max(1000)).describe(
    'May be left out while issuer and client stay the same: then the former one stays',
  ),
  hasClientSecret: optional(z.boolean()).describe(
    'As the settings show it; nothing is read from it',
  ),
  subjectClaim: claim('sub').describe('The claim that names a person for ever'),
  groupsClaim: claim('groups'),
});
const certificateText = z.string().trim().min(1).max(10_000);
/** The form in which `POST /organization/sso/metadata` and the settings show it. */
const certificateInput = z.strictObject({
  pem: certificateText,
  subject: optional(z.string().max(5000)),
  fingerprint: optional(z.string().max(200)),
  validFrom: optional(z.string().max(50)),
  validTo: optional(z.string().max(50)),
});
const samlInput = z.strictObject({
  entityId: singleLine(1024).describe('Of the identity provider'),
  ssoUrl: address.describe('Where sign-on requests go (HTTP-Redirect)'),
  sloUrl: withDefault(address.nullable(), null).describe(
    'Where logout requests go (HTTP-Redirect); null: nowhere',
  ),
  certificates: z
    .array(z.union([certificateText, certificateInput]))
    .min(1)
    .max(2)
    .describe(
      'PEM or its bare base64, or what the metadata of a provider were answered with, of which only `pem` is read; two while one is replaced by the other, both are then good',
    ),
  nameIdFormat: withDefault(
    z.enum([PERSISTENT_NAME, EMAIL_NAME, UNSPECIFIED_NAME]).nullable(),
    null,
  ).describe(
    'The only kind of NameID that is accepted, and asked for; null: whatever the provider sends. Members whose kind of name changes with this setting are found by their address',
  ),
  emailAttribute: claim('email'),
  nameAttribute: claim('name'),
  groupsAttribute: claim('groups'),
});

/** Replaces all settings. Strict, so that a misspelt setting is refused instead of ignored. */
export const ssoInput = z
  .strictObject({
    provider: z.enum(['oidc', 'saml']).describe('Which of the two is used'),
    requireMfaEvenWithSso: withDefault(z.boolean(), false),
    requireSso: withDefault(z.boolean(), false).describe(
      'Whether members come in by the sign-on only; owners keep their own way in',
    ),
    justInTime: withDefault(z.boolean(), true).describe(
      'Whether the first sign-on creates a membership',
    ),
    oidc: withDefault(oidcInput.nullable(), null),
    saml: withDefault(samlInput.nullable(), null),
  })
  .superRefine((input, context) => {
    if (input[input.provider] === null)
      context.addIssue({
        code: 'custom',
        path: [input.provider],
        message: 'required for this provider',
      });
  });

const certificateView = z.object({
  pem: z.string(),
  subject: z.string(),
  fingerprint: z.string().describe('SHA-256'),
  validFrom: instant,
  validTo: instant,
});
export const ssoView = z.object({
  settings: z
    .object({
      provider: z.enum(['oidc', 'saml']),
      requireMfaEvenWithSso: z.boolean(),
      requireSso: z.boolean(),
      justInTime: z.boolean(),
      oidc: z
        .object({
          issuer: z.string(),
          clientId: z.string(),
          hasClientSecret: z.boolean(),
          subjectClaim: z.string(),
          groupsClaim: z.string(),
        })
        .nullable(),
      saml: z
        .object({
          entityId: z.string(),
          ssoUrl: z.string(),
          sloUrl: z.string().nullable(),
          certificates: z.array(certificateView),
          nameIdFormat: withDefault(z.string().nullable(), null),
          emailAttribute: z.string(),
          nameAttribute: z.string(),
          groupsAttribute: z.string(),
        })
        .nullable(),
    })
    .nullable()
    .describe('Null: the organisation has no sign-on of its own'),
  serviceProvider: z
    .object({
      oidcRedirectUri: z.string(),
      oidcPostLogoutRedirectUri: z.string(),
      oidcBackChannelLogoutUri: z.string(),
      samlAcsUrl: z.string(),
      samlEntityId: z.string().describe('Also the address of the metadata'),
      samlSloUrl: z.string(),
    })
    .describe('What the identity provider needs to know'),
  warnings: z
    .array(z.string())
    .describe('What stands in the way of the sign-on although the settings are valid'),
});
export type SsoSettingsView = z.input<typeof ssoView>;
/** A large provider's metadata are about 100 KB. */
export const metadataInput = z
  .strictObject({
    xml: optional(z.string().min(1).max(MAX_CHARACTERS)).describe('The document itself'),
    url: optional(address).describe('Where the provider publishes it'),
  })
  .refine(({ xml, url }) => (xml === undefined) !== (url === undefined), {
    error: 'give either xml or url',
  });
export const metadataView = z.object({
  entityId: z.string(),
  ssoUrl: z.string(),
  sloUrl: z.string().nullable(),
  certificates: z.array(certificateView).describe('Those that sign, at most two: the newest'),
});

export const unlinkedView = z.object({ unlinked: z.literal(true) });
export const ssoDeletedView = z.object({
  deleted: z.literal(true),
  sessionsEnded: z.number().int(),
});

const pattern = z.string().max(200).describe('RE2, looked for anywhere in the name of a group');

/** Reports the first pattern that is refused; later ones are not compiled. */
function checkPatterns(rules: readonly { pattern: string }[], context: z.RefinementCtx): void {
  for (const [i, rule] of rules.entries()) {
    const result = compilePattern(rule.pattern);
    if (!('problem' in result)) continue;
    context.addIssue({ code: 'custom', path: [i, 'pattern'], message: result.problem });
    return;
  }
}

export const roleMappingInput = z.strictObject({
  rules: boundedList(z.strictObject({ pattern, role }), MAX_RULES).superRefine(checkPatterns),
});
export const roleMappingView = z.object({
  rules: z.array(z.object({ pattern: z.string(), role })).describe('The first that fits decides'),
});

nameSchemas({
  OidcSettingsInput: oidcInput,
  SamlSettingsInput: samlInput,
  SignOnSettingsInput: ssoInput,
  Certificate: certificateView,
  SignOnSettings: ssoView,
  ProviderMetadataInput: metadataInput,
  ProviderMetadata: metadataView,
  UnlinkedMember: unlinkedView,
  DeletedSignOnSettings: ssoDeletedView,
  RoleMappingInput: roleMappingInput,
  RoleMapping: roleMappingView,
});
