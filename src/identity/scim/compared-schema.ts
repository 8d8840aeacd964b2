// How names are compared by filters and patches of directories: as accounts compare them.
import type { ResourceSchema } from '@assay/scim';
import { toComparableName } from '../../domain/identity/addresses/email-address.ts';

/** The schema, with addresses compared in their normal form. */
export const compareAsNames = (schema: ResourceSchema): ResourceSchema => ({
  ...schema,
  foldCase: toComparableName,
});
