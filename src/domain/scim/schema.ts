// What a SCIM user and a SCIM group are made of (RFC 7643, sections 3.1, 4 and 7): discovery shows it, filters and patches resolve against it.

export type AttributeType = 'string' | 'boolean' | 'dateTime' | 'reference' | 'complex';

/** An attribute as RFC 7643 section 7 describes one. */
export interface Attribute {
  name: string;
  type: AttributeType;
  multiValued: boolean;
  description: string;
  required: boolean;
  caseExact: boolean;
  mutability: 'readOnly' | 'readWrite';
  returned: 'always' | 'default';
  uniqueness: 'none' | 'server';
  canonicalValues?: string[];
  referenceTypes?: string[];
  subAttributes?: Attribute[];
}

export interface ResourceSchema {
  id: string;
  name: string;
  description: string;
  attributes: readonly Attribute[];
}

function attribute(
  name: string,
  description: string,
  more: Partial<Omit<Attribute, 'name' | 'description'>> = {},
): Attribute {
  return {
    name,
    type: 'string',
    multiValued: false,
    description,
    required: false,
    caseExact: false,
    mutability: 'readWrite',
    returned: 'default',
    uniqueness: 'none',
    ...more,
  };
}

const readOnly = { mutability: 'readOnly' } as const;
const exact = { caseExact: true } as const;
const complex = (...subAttributes: Attribute[]) => ({ type: 'complex', subAttributes }) as const;

/** Attributes that every resource has, which RFC 7643 section 3.1 keeps out of the schemas. */
const COMMON: readonly Attribute[] = [
  attribute('schemas', 'Schemas of the resource', {
    multiValued: true,
    ...exact,
    ...readOnly,
    returned: 'always',
  }),
  attribute('id', 'Identifier given by the service', { ...exact, ...readOnly, returned: 'always' }),
  attribute('externalId', 'Stable identifier given by the identity provider', exact),
  attribute('meta', 'Facts about the resource', {
    ...readOnly,
    ...complex(
      attribute('resourceType', 'Kind of resource', { ...exact, ...readOnly }),
      attribute('created', 'When it was made', { type: 'dateTime', ...readOnly }),
      attribute('lastModified', 'When it was last changed', { type: 'dateTime', ...readOnly }),
      attribute('location', 'Address of the resource', {
        type: 'reference',
        ...exact,
        ...readOnly,
      }),
    ),
  }),
];

export const USER_SCHEMA: ResourceSchema = {
  id: 'urn:ietf:params:scim:schemas:core:2.0:User',
  name: 'User',
  description: 'A person who is a member of the organisation',
  attributes: [
    attribute('userName', 'Login name, lower-cased: the e-mail address', {
      required: true,
      uniqueness: 'server',
    }),
    attribute(
      'displayName',
      'Name as shown; by default the given and family name, or what stands before the at-sign',
    ),
    attribute(
      'name',
      'Parts of the name',
      complex(
        attribute('formatted', 'The whole name'),
        attribute('givenName', 'Given name'),
        attribute('familyName', 'Family name'),
      ),
    ),
    attribute('active', 'Whether the person may sign in to the organisation', { type: 'boolean' }),
    attribute('emails', 'E-mail addresses; the first one is canonical', {
      multiValued: true,
      ...complex(
        attribute('value', 'The address'),
        attribute('type', 'Kind of address', { canonicalValues: ['work', 'home', 'other'] }),
        attribute('primary', 'Whether it is the preferred address', { type: 'boolean' }),
      ),
    }),
    attribute('groups', 'The role of the person, as a group', {
      multiValued: true,
      ...readOnly,
      ...complex(
        attribute('value', 'Identifier of the group', { ...exact, ...readOnly }),
        attribute('$ref', 'Address of the group', {
          type: 'reference',
          referenceTypes: ['Group'],
          ...exact,
          ...readOnly,
        }),
        attribute('display', 'Name of the group', readOnly),
        attribute('type', 'How the person belongs to it', {
          canonicalValues: ['direct'],
          ...readOnly,
        }),
      ),
    }),
  ],
};

export const GROUP_SCHEMA: ResourceSchema = {
  id: 'urn:ietf:params:scim:schemas:core:2.0:Group',
  name: 'Group',
  description: 'Everybody who has a certain role in the organisation',
  attributes: [
    attribute('displayName', 'Name of the role', {
      required: true,
      uniqueness: 'server',
      ...readOnly,
    }),
    attribute('members', 'The people who have the role', {
      multiValued: true,
      ...complex(
        attribute('value', 'Identifier of the user', exact),
        attribute('$ref', 'Address of the user', {
          type: 'reference',
          referenceTypes: ['User'],
          ...exact,
        }),
        attribute('display', 'Name of the user', readOnly),
        attribute('type', 'Kind of member', { canonicalValues: ['User'], ...readOnly }),
      ),
    }),
  ],
};

export const RESOURCE_SCHEMAS: readonly ResourceSchema[] = [USER_SCHEMA, GROUP_SCHEMA];

/** An attribute or one of its sub-attributes. */
export interface AttributePath {
  attribute: Attribute;
  sub: Attribute | null;
}

const named = (attributes: readonly Attribute[], name: string): Attribute | undefined =>
  attributes.find((one) => one.name.toLowerCase() === name.toLowerCase());

/** Every attribute of a resource, the common ones included. */
export const attributesOf = (schema: ResourceSchema): Attribute[] => [
  ...COMMON,
  ...schema.attributes,
];

/** Where `path` (`attribute`, `attribute.sub`, either after the schema's URN) leads; names have no case. Null: nowhere. */
export function findAttribute(schema: ResourceSchema, path: string): AttributePath | null {
  const prefix = `${schema.id}:`.toLowerCase();
  const bare = path.toLowerCase().startsWith(prefix) ? path.slice(prefix.length) : path;
  const [name = '', subName, ...rest] = bare.split('.');
  const found = named(attributesOf(schema), name);
  if (!found || rest.length > 0) return null;
  if (subName === undefined) return { attribute: found, sub: null };
  const sub = named(found.subAttributes ?? [], subName);
  return sub ? { attribute: found, sub } : null;
}

/** A copy with the names of `attributes` in their own case and without members of other names, also further down. */
export function canonicalMembers(attributes: readonly Attribute[], value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => canonicalMembers(attributes, item));
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).flatMap(([name, member]) => {
    const found = named(attributes, name);
    return found
      ? [[found.name, found.subAttributes ? canonicalMembers(found.subAttributes, member) : member]]
      : [];
  });
  return Object.fromEntries(members) as unknown;
}
