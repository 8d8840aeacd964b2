// What the SCIM interface says of itself: only what works is advertised (RFC 7643, sections 5 to 7).
import { RESOURCE_SCHEMAS, type ResourceSchema } from '../../../domain/scim/schema.ts';
import { AppError } from '../../../errors.ts';
import { MAX_COUNT } from '../scim.schemas.ts';
import { listResponse } from '../searches.service.ts';

const CORE = 'urn:ietf:params:scim:schemas:core:2.0';
const RFC_BEARER = 'https://www.rfc-editor.org/info/rfc6750';

export function createDiscoveryService({ baseUrl }: { baseUrl: string }) {
  const metaOf = (resourceType: string, path: string) => ({
    resourceType,
    location: `${baseUrl}${path}`,
  });

  const typeOf = ({ id, name, description }: ResourceSchema) => ({
    schemas: [`${CORE}:ResourceType`],
    id: name,
    name,
    endpoint: `/${name}s`,
    description,
    schema: id,
    schemaExtensions: [],
    meta: metaOf('ResourceType', `/ResourceTypes/${name}`),
  });

  const shown = (schema: ResourceSchema) => ({
    ...schema,
    attributes: [...schema.attributes],
    schemas: [`${CORE}:Schema`],
    meta: metaOf('Schema', `/Schemas/${schema.id}`),
  });

  return {
    provider() {
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
        meta: metaOf('ServiceProviderConfig', '/ServiceProviderConfig'),
      };
    },

    types: () => listResponse(RESOURCE_SCHEMAS.length, 1, RESOURCE_SCHEMAS.map(typeOf)),
    type: (name: string) => typeOf(known(({ name: one }) => one === name)),
    schemas: () => listResponse(RESOURCE_SCHEMAS.length, 1, RESOURCE_SCHEMAS.map(shown)),
    schema: (id: string) => shown(known(({ id: one }) => one === id)),
  };
}
export type DiscoveryService = ReturnType<typeof createDiscoveryService>;

function known(fits: (schema: ResourceSchema) => boolean): ResourceSchema {
  const found = RESOURCE_SCHEMAS.find(fits);
  if (!found) throw new AppError('NOT_FOUND');
  return found;
}
