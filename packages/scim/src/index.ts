// SCIM 2.0 on values in memory: what the package offers.
export { compileFilter, type Filter } from './filter.ts';
export { filterLimits, ScimFilterError } from './grammar.ts';
export { applyPatch, type PatchOperation, ScimPatchError } from './patch.ts';
export { isReturned, project, type Projected, type Selection } from './projection.ts';
export {
  type Attribute,
  type FoldCase,
  GROUP_SCHEMA,
  listAttributes,
  RESOURCE_SCHEMAS,
  type ResourceSchema,
  toCanonicalMembers,
  USER_SCHEMA,
} from './schema.ts';
