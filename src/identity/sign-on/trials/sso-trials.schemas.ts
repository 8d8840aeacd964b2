// Inputs and views of trials of a sign-on.
import { z } from 'zod';
import { nameSchemas } from '../../../http/declaration/schema-names.ts';
import { optional } from '../../../http/declaration/optional.ts';
import { id, instant, role } from '../../../http/declaration/views.ts';
import { ssoInput } from '../../organization/sso-settings/sso-settings.schemas.ts';

export const trialInput = z.strictObject({
  settings: ssoInput.describe('As `PUT /organization/sso` takes them; they are not saved'),
  returnTo: optional(z.string().max(2000)).describe(
    'Where the browser goes at the end, with `ssoTest=<id>`: an address of the redirect allow-list',
  ),
});

const provider = z.enum(['oidc', 'saml']);
const text = z.string();

export const startedTrialView = z.object({
  id,
  provider,
  redirectUrl: text.describe('Of the identity provider: where the browser goes now'),
  expiresAt: instant.describe('Until when the result can be read'),
  warnings: z
    .array(text)
    .describe('What stands in the way of the sign-on although the settings are valid'),
});

const personView = z.object({
  subject: text.describe('What names the person at the provider'),
  subjectFormat: text.nullable().describe('The claim of the subject, or the format of the NameID'),
  email: text.nullable(),
  name: text.nullable(),
  groups: z
    .array(text)
    .nullable()
    .describe('The first 200; null: not listed, or in an unknown form, and roles would stay'),
});

export const trialView = z.object({
  id,
  provider,
  state: z.enum(['waiting', 'ended']).describe('`waiting`: the browser has not returned'),
  createdAt: instant,
  expiresAt: instant,
  result: z
    .object({
      wouldSignIn: z.boolean(),
      received: z
        .array(z.object({ name: text, values: z.array(text) }))
        .describe('Claims or attributes as they were sent; each is cut after 500 characters'),
      person: personView.nullable().describe('Null: the response names no usable person'),
      member: z
        .enum(['linked', 'address', 'new'])
        .nullable()
        .describe(
          'How the member is found: by an earlier sign-on or the directory, by the address, or as a new one; null: refused',
        ),
      role: role.nullable().describe('That the member would have'),
      rule: z
        .object({ pattern: text, group: text })
        .nullable()
        .describe('The rule of the role mapping that fits; null: none'),
      problems: z
        .array(z.object({ code: text, message: text }))
        .describe('Why the sign-on would be refused'),
    })
    .nullable()
    .describe('Null while it waits'),
});

nameSchemas({
  SignOnTestInput: trialInput,
  StartedSignOnTest: startedTrialView,
  SignOnTest: trialView,
});
