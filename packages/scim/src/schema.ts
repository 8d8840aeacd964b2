// The schemas of SCIM users and groups (RFC 7643, sections 3.1, 4 and 7), for discovery, filters and patches.

export type AttributeType = 'string' | 'boolean' | 'dateTime' | 'reference' | 'complex';

/** An attribute definition (RFC 7643, section 7). */
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
  /** How texts are compared that are not `caseExact`; default: in lower case. */
  foldCase?: FoldCase;
}

/** Gives a text the form in which two that mean the same are equal. */
export type FoldCase = (text: string) => string;

function createAttribute(
  name: string,
  description: string,
  properties: Partial<Omit<Attribute, 'name' | 'description'>> = {},
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
    ...properties,
  };
}

const readOnly = { mutability: 'readOnly' } as const;
const exact = { caseExact: true } as const;
const createComplexType = (...subAttributes: Attribute[]) =>
  ({ type: 'complex', subAttributes }) as const;

/** Attributes of every resource, which are not part of the schemas (RFC 7643, section 3.1). */
const COMMON: readonly Attribute[] = [
  createAttribute('schemas', 'Schemas of the resource', {
    multiValued: true,
    ...exact,
    ...readOnly,
    returned: 'always',
  }),
  createAttribute('id', 'Identifier given by the service', {
    ...exact,
    ...readOnly,
    returned: 'always',
  }),
  createAttribute('externalId', 'Stable identifier given by the identity provider', exact),
  createAttribute('meta', 'Metadata of the resource', {
    ...readOnly,
    ...createComplexType(
      createAttribute('resourceType', 'Kind of resource', { ...exact, ...readOnly }),
      createAttribute('created', 'When the resource was created', {
        type: 'dateTime',
        ...readOnly,
      }),
      createAttribute('lastModified', 'When the resource was last changed', {
        type: 'dateTime',
        ...readOnly,
      }),
      createAttribute('location', 'URI of the resource', {
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
    createAttribute('userName', 'Login name: the e-mail address in lower case', {
      required: true,
      uniqueness: 'server',
    }),
    createAttribute(
      'displayName',
      'Display name; by default the given and family name, or the local part of the e-mail address',
    ),
    createAttribute(
      'name',
      'Parts of the name',
      createComplexType(
        createAttribute('formatted', 'Full name'),
        createAttribute('givenName', 'Given name'),
        createAttribute('familyName', 'Family name'),
      ),
    ),
    createAttribute('active', 'Whether the person may sign in to the organisation', {
      type: 'boolean',
    }),
    createAttribute('emails', 'E-mail addresses; the first one is canonical', {
      multiValued: true,
      ...createComplexType(
        createAttribute('value', 'The address'),
        createAttribute('type', 'Kind of address', { canonicalValues: ['work', 'home', 'other'] }),
        createAttribute('primary', 'Whether it is the preferred address', { type: 'boolean' }),
      ),
    }),
    createAttribute('groups', 'The role of the person, as a group', {
      multiValued: true,
      ...readOnly,
      ...createComplexType(
        createAttribute('value', 'Identifier of the group', { ...exact, ...readOnly }),
        createAttribute('$ref', 'URI of the group', {
          type: 'reference',
          referenceTypes: ['Group'],
          ...exact,
          ...readOnly,
        }),
        createAttribute('display', 'Name of the group', readOnly),
        createAttribute('type', 'Kind of membership', {
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
  description: 'The members of the organisation with a given role',
  attributes: [
    createAttribute('displayName', 'Name of the role', {
      required: true,
      uniqueness: 'server',
      ...readOnly,
    }),
    createAttribute('members', 'The users with the role', {
      multiValued: true,
      ...createComplexType(
        createAttribute('value', 'Identifier of the user', exact),
        createAttribute('$ref', 'URI of the user', {
          type: 'reference',
          referenceTypes: ['User'],
          ...exact,
        }),
        createAttribute('display', 'Name of the user', readOnly),
        createAttribute('type', 'Kind of member', { canonicalValues: ['User'], ...readOnly }),
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

const findByName = (attributes: readonly Attribute[], name: string): Attribute | undefined =>
  attributes.find((attribute) => attribute.name.toLowerCase() === name.toLowerCase());

/** All attributes of a resource, including the common ones. */
export const listAttributes = (schema: ResourceSchema): Attribute[] => [
  ...COMMON,
  ...schema.attributes,
];

/**
 * The attribute at a path (`attribute` or `attribute.sub`, with or without the schema's URN), case-insensitive; null
 * when unknown.
 */
export function findAttribute(schema: ResourceSchema, path: string): AttributePath | null {
  const prefix = `${schema.id}:`.toLowerCase();
  const relative = path.toLowerCase().startsWith(prefix) ? path.slice(prefix.length) : path;
  const [name = '', subName, ...rest] = relative.split('.');
  const found = findByName(listAttributes(schema), name);
  if (!found || rest.length > 0) return null;
  if (subName === undefined) return { attribute: found, sub: null };
  const sub = findByName(found.subAttributes ?? [], subName);
  return sub ? { attribute: found, sub } : null;
}

/** A copy with the names of members in the case of `attributes`, without unknown members, at all levels. */
export function toCanonicalMembers(attributes: readonly Attribute[], value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => toCanonicalMembers(attributes, item));
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).flatMap(([name, member]) => {
    const found = findByName(attributes, name);
    return found
      ? [
          [
            found.name,
            found.subAttributes ? toCanonicalMembers(found.subAttributes, member) : member,
          ],
        ]
      : [];
  });
  return Object.fromEntries(members) as unknown;
}
