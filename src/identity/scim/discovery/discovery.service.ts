// SCIM discovery: only what works is advertised (RFC 7643, sections 5 to 7).
import type { z } from 'zod';
import { RESOURCE_SCHEMAS, type ResourceSchema } from '@assay/scim';
import { findOr404 } from '../../../platform/mongo/queries.ts';
import { MAX_COUNT } from '../scim.schemas.ts';
import { type ListResponse, toListResponse } from '../searches.service.ts';
import type { providerView, resourceTypeView, schemaView } from './discovery.schemas.ts';

export type ServiceProviderConfig = z.input<typeof providerView>;
export type ResourceType = z.input<typeof resourceTypeView>;
export type SchemaResource = z.input<typeof schemaView>;

const CORE = 'urn:ietf:params:scim:schemas:core:2.0';
const RFC_BEARER = 'https://www.rfc-editor.org/info/rfc6750';

export function createDiscoveryService({ baseUrl }: { baseUrl: string }) {
  const toMeta = (resourceType: string, path: string): ResourceType['meta'] => ({
    resourceType,
    location: `${baseUrl}${path}`,
  });

  const toResourceType = ({ id, name, description }: ResourceSchema): ResourceType => ({
    schemas: [`${CORE}:ResourceType`],
    id: name,
    name,
    endpoint: `/${name}s`,
    description,
    schema: id,
    schemaExtensions: [],
    meta: toMeta('ResourceType', `/ResourceTypes/${name}`),
  });

  const toSchemaResource = (schema: ResourceSchema): SchemaResource => ({
    ...schema,
    attributes: [...schema.attributes],
    schemas: [`${CORE}:Schema`],
    meta: toMeta('Schema', `/Schemas/${schema.id}`),
  });

  return {
    describeProvider(): ServiceProviderConfig {
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
        meta: toMeta('ServiceProviderConfig', '/ServiceProviderConfig'),
      };
    },

    types: (): ListResponse<ResourceType> =>
      toListResponse(RESOURCE_SCHEMAS.length, 1, RESOURCE_SCHEMAS.map(toResourceType)),
    schemas: (): ListResponse<SchemaResource> =>
      toListResponse(RESOURCE_SCHEMAS.length, 1, RESOURCE_SCHEMAS.map(toSchemaResource)),

    /** @throws AppError `NOT_FOUND` */
    type: async (wanted: string): Promise<ResourceType> =>
      toResourceType(await findSchema(({ name }) => name === wanted)),
    /** @throws AppError `NOT_FOUND` */
    schema: async (wanted: string): Promise<SchemaResource> =>
      toSchemaResource(await findSchema(({ id }) => id === wanted)),
  };
}
export type DiscoveryService = ReturnType<typeof createDiscoveryService>;

const findSchema = (fits: (schema: ResourceSchema) => boolean): Promise<ResourceSchema> =>
  findOr404(Promise.resolve(RESOURCE_SCHEMAS.find(fits) ?? null));
