// SCIM discovery: only what works is advertised (RFC 7643, sections 5 to 7).
import type { z } from 'zod';
import { RESOURCE_SCHEMAS, type ResourceSchema } from '@assay/scim';
import { findOr404 } from '../../../platform/mongo/queries.ts';
import { MAX_COUNT } from '../scim.schemas.ts';
import { type ListResponse, toListResponse } from '../searches.service.ts';
import type { providerView, resourceTypeView, schemaView } from './discovery.schemas.ts';
import type { Platform } from '../../../platform/platform.ts';
import { getScimBaseUrl } from '../base-url.ts';

export type ServiceProviderConfig = z.input<typeof providerView>;
export type ResourceType = z.input<typeof resourceTypeView>;
export type SchemaResource = z.input<typeof schemaView>;

const CORE = 'urn:ietf:params:scim:schemas:core:2.0';
const RFC_BEARER = 'https://www.rfc-editor.org/info/rfc6750';

export function describeScimProvider(platform: Platform): ServiceProviderConfig {
  const no = { supported: false };
  return {
    schemas: [`${CORE}:ServiceProviderConfig`],
    patch: { supported: true },
    bulk: { ...no, maxOperations: 0, maxPayloadSize: 0 },
    filter: { supported: true, maxResults: MAX_COUNT },
    changePassword: no,
    sort: no,
    etag: no,
    authenticationSchemes: [
      {
        type: 'oauthbearertoken',
        name: 'Bearer token',
        description: 'The SCIM token of the organisation',
        specUri: RFC_BEARER,
        primary: true,
      },
    ],
    meta: toMeta(platform, 'ServiceProviderConfig', '/ServiceProviderConfig'),
  };
}

export function listResourceTypes(platform: Platform): ListResponse<ResourceType> {
  return toListResponse(
    RESOURCE_SCHEMAS.length,
    1,
    RESOURCE_SCHEMAS.map((schema) => toResourceType(platform, schema)),
  );
}

export function listResourceSchemas(platform: Platform): ListResponse<SchemaResource> {
  return toListResponse(
    RESOURCE_SCHEMAS.length,
    1,
    RESOURCE_SCHEMAS.map((schema) => toSchemaResource(platform, schema)),
  );
}

/** @throws AppError `NOT_FOUND` */
export async function findResourceType(platform: Platform, wanted: string): Promise<ResourceType> {
  return toResourceType(platform, await findSchema(({ name }) => name === wanted));
}

/** @throws AppError `NOT_FOUND` */
export async function findResourceSchema(
  platform: Platform,
  wanted: string,
): Promise<SchemaResource> {
  return toSchemaResource(platform, await findSchema(({ id }) => id === wanted));
}

const toMeta = (platform: Platform, resourceType: string, path: string): ResourceType['meta'] => ({
  resourceType,
  location: `${getScimBaseUrl(platform)}${path}`,
});

const toResourceType = (
  platform: Platform,
  { id, name, description }: ResourceSchema,
): ResourceType => ({
  schemas: [`${CORE}:ResourceType`],
  id: name,
  name,
  endpoint: `/${name}s`,
  description,
  schema: id,
  schemaExtensions: [],
  meta: toMeta(platform, 'ResourceType', `/ResourceTypes/${name}`),
});

const toSchemaResource = (platform: Platform, schema: ResourceSchema): SchemaResource => ({
  ...schema,
  attributes: [...schema.attributes],
  schemas: [`${CORE}:Schema`],
  meta: toMeta(platform, 'Schema', `/Schemas/${schema.id}`),
});

const findSchema = (fits: (schema: ResourceSchema) => boolean): Promise<ResourceSchema> =>
  findOr404(Promise.resolve(RESOURCE_SCHEMAS.find(fits) ?? null));
