// Inputs and the view of SCIM users (document 1, section 2: SCIM User mapping).
import { z } from 'zod';
import { listAttributes, toCanonicalMembers, USER_SCHEMA } from '@assay/scim';
import { nameSchemas } from '../../../http/declaration/schema-names.ts';
import { toComparableName } from '../../../domain/identity/addresses/email-address.ts';
import { optional, withDefault } from '../../../http/declaration/optional.ts';
import { requireSchema, toScim } from '../scim.schemas.ts';

const MAX_EMAILS = 20;
const MAX_GROUPS = 1000;
const GROUP_LENGTH = 256;

/** Absent, null and blank texts have no value (RFC 7643, section 2.5). */
const createText = (max: number) => {
  const given = z.string().trim().max(max).nullable();
  return withDefault(
    given.transform((value) => value || null),
    null,
  );
};
/** Entra sends `"True"` and `"False"` by default. */
const flag = z.union([z.boolean(), z.stringbool({ truthy: ['true'], falsy: ['false'] })]);

const email = z.object({ value: createText(254), type: createText(40), primary: optional(flag) });
const group = z.union([
  z.string().max(GROUP_LENGTH),
  z
    .object({
      value: z.string().max(GROUP_LENGTH),
      display: optional(z.string().max(GROUP_LENGTH)),
    })
    .transform(({ value, display }) => display ?? value),
]);

const user = z.object({
  schemas: requireSchema(USER_SCHEMA.id),
  userName: z.string().trim().min(1).max(254).transform(toComparableName),
  displayName: createText(200),
  name: withDefault(
    z
      .object({
        formatted: createText(300),
        givenName: createText(100),
        familyName: createText(100),
      })
      .nullable(),
    null,
  ),
  active: withDefault(flag, true),
  externalId: createText(256),
  emails: withDefault(z.array(email).max(MAX_EMAILS).transform(normalizeEmails), []),
  groups: withDefault(z.array(group).max(MAX_GROUPS), []),
});

/** Leaves at most one primary address: the last of several, which was added last. */
function normalizeEmails(given: readonly z.output<typeof email>[]) {
  const present = given.flatMap(({ value, ...rest }) =>
    value === null ? [] : [{ value, ...rest }],
  );
  const primary = present.findLastIndex((one) => one.primary === true);
  return present.map(({ value, type }, index) => ({ value, type, primary: index === primary }));
}

/** Attribute names are case-insensitive in SCIM, and unknown ones are ignored. */
const members = listAttributes(USER_SCHEMA);
export const userInput = z.preprocess((body) => toCanonicalMembers(members, body), user);
export type UserInput = z.output<typeof user>;

const reference = z.object({
  value: z.string(),
  $ref: z.string(),
  display: z.string(),
  type: z.string(),
});

export const scimUserView = toScim({
  externalId: z.string(),
  userName: z.string(),
  displayName: z.string(),
  name: z
    .object({ formatted: z.string(), givenName: z.string(), familyName: z.string() })
    .exactPartial(),
  active: z.boolean(),
  emails: z.array(
    z.object({ value: z.string(), type: z.string(), primary: z.boolean() }).exactPartial(),
  ),
  groups: z.array(reference.exactPartial()),
});

nameSchemas({ ScimUserInput: userInput, ScimUser: scimUserView });
