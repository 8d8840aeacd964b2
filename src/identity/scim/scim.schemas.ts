// Schemas that SCIM requests and answers share (RFC 7644, sections 3.4, 3.5.2 and 3.9).
import { z } from 'zod';
import { filterLimits } from '@assay/scim';
import { nameSchemas } from '../../http/declaration/schema-names.ts';
import { optional, withDefault } from '../../http/declaration/optional.ts';

/** Limit of results per answer (document 1, section 8). */
export const MAX_COUNT = 200;
const DEFAULT_COUNT = 100;
const MAX_NAMES = 100;
const MAX_OPERATIONS = 100;

/** Comma-separated names, as in a query. */
const names = z
  .string()
  .max(MAX_NAMES * 80)
  .transform((text) => text.split(','));

export const selectionQuery = z.object({
  attributes: optional(names).describe('Names of the attributes to show, with commas between them'),
  excludedAttributes: optional(names).describe('Names of the attributes to leave out'),
});

const filter = optional(z.string().max(filterLimits.length));
/** A value below one counts as one (RFC 7644, section 3.4.2.4). */
const startIndex = z.int().transform((index) => Math.max(1, index));
/** A negative value counts as zero; larger ones are limited to the maximum. */
const count = z.int().transform((wanted) => Math.min(Math.max(0, wanted), MAX_COUNT));
const fromText = z.string().regex(/^-?\d{1,15}$/, 'must be a whole number');

export const listQuery = selectionQuery.extend({
  filter: filter.describe('Filter of RFC 7644, section 3.4.2.2'),
  startIndex: withDefault(fromText.transform(Number).pipe(startIndex), 1).describe(
    '1-based index of the first result',
  ),
  count: withDefault(fromText.transform(Number).pipe(count), DEFAULT_COUNT).describe(
    `Results to answer, at most ${MAX_COUNT}`,
  ),
});
export type ListQuery = z.output<typeof listQuery>;

/** Accepts no schemas, or a list that contains the one. */
export const requireSchema = (urn: string) => {
  const isNamed = (given: readonly string[]): boolean =>
    given.some((one) => one.toLowerCase() === urn.toLowerCase());
  return optional(z.array(z.string().max(200)).max(20).refine(isNamed, `must name ${urn}`));
};

const nameList = optional(z.array(z.string().max(200)).max(MAX_NAMES));
export const searchInput = z.object({
  schemas: requireSchema('urn:ietf:params:scim:api:messages:2.0:SearchRequest'),
  attributes: nameList,
  excludedAttributes: nameList,
  filter,
  startIndex: withDefault(startIndex, 1),
  count: withDefault(count, DEFAULT_COUNT),
});

export const patchInput = z.object({
  schemas: requireSchema('urn:ietf:params:scim:api:messages:2.0:PatchOp'),
  Operations: z
    .array(
      z.object({
        /** Entra capitalises it. */
        op: z
          .string()
          .toLowerCase()
          .pipe(z.enum(['add', 'replace', 'remove'])),
        path: optional(z.string().max(filterLimits.length)),
        value: optional(z.json()),
      }),
    )
    .min(1)
    .max(MAX_OPERATIONS),
});
export type Operations = z.output<typeof patchInput>['Operations'];

/** Makes every member optional except those always returned, since a request may select a part. */
export const toScim = <T extends z.ZodRawShape>(members: T) =>
  z.object({
    schemas: z.array(z.string()),
    id: z.string(),
    ...z.object(members).exactPartial().shape,
    meta: z
      .object({
        resourceType: z.string(),
        created: z.string(),
        lastModified: z.string(),
        location: z.string(),
      })
      .exactPartial()
      .exactOptional(),
  });

export const listView = <T extends z.ZodType>(resource: T) =>
  z.object({
    schemas: z.array(z.string()),
    totalResults: z.int(),
    startIndex: z.int(),
    itemsPerPage: z.int(),
    Resources: z.array(resource),
  });

nameSchemas({ ScimSearchInput: searchInput, ScimPatchInput: patchInput });
