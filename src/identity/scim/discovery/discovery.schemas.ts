// Views of SCIM discovery (RFC 7643, sections 5 to 7).
import { z } from 'zod';
import { RESOURCE_SCHEMAS } from '@assay/scim';
import { nameSchemas } from '../../../http/declaration/schema-names.ts';
import { listView } from '../scim.schemas.ts';

const meta = z.object({ resourceType: z.string(), location: z.string() });
const supported = z.object({ supported: z.boolean() });

export const providerView = z.object({
  schemas: z.array(z.string()),
  patch: supported,
  bulk: supported.extend({ maxOperations: z.int(), maxPayloadSize: z.int() }),
  filter: supported.extend({ maxResults: z.int() }),
  changePassword: supported,
  sort: supported,
  etag: supported,
  authenticationSchemes: z.array(
    z.object({
      type: z.string(),
      name: z.string(),
      description: z.string(),
      specUri: z.string(),
      primary: z.boolean(),
    }),
  ),
  meta,
});

export const resourceTypeView = z.object({
  schemas: z.array(z.string()),
  id: z.string(),
  name: z.string(),
  endpoint: z.string(),
  description: z.string(),
  schema: z.string(),
  schemaExtensions: z.array(z.never()),
  meta,
});

const attribute = z.object({
  name: z.string(),
  type: z.string(),
  multiValued: z.boolean(),
  description: z.string(),
  required: z.boolean(),
  caseExact: z.boolean(),
  mutability: z.string(),
  returned: z.string(),
  uniqueness: z.string(),
  canonicalValues: z.array(z.string()).exactOptional(),
  referenceTypes: z.array(z.string()).exactOptional(),
});

export const schemaView = z.object({
  schemas: z.array(z.string()),
  id: z.string(),
  name: z.string(),
  description: z.string(),
  attributes: z.array(attribute.extend({ subAttributes: z.array(attribute).exactOptional() })),
  meta,
});

export const resourceTypesView = listView(resourceTypeView);
export const schemasView = listView(schemaView);

export const typeParams = z.object({ id: z.enum(RESOURCE_SCHEMAS.map(({ name }) => name)) });
export const schemaParams = z.object({ id: z.enum(RESOURCE_SCHEMAS.map(({ id }) => id)) });

nameSchemas({
  ScimResourceMeta: meta,
  ScimSupported: supported,
  ScimServiceProvider: providerView,
  ScimResourceType: resourceTypeView,
  ScimAttribute: attribute,
  ScimSchema: schemaView,
  ScimResourceTypes: resourceTypesView,
  ScimSchemas: schemasView,
});
