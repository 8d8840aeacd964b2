// The view of SCIM groups: the fixed role buckets (document 1, section 2).
import { z } from 'zod';
import { BUCKETS } from '../../domain/scim-buckets.ts';
import { shown } from './scim.schemas.ts';

export const bucketParams = z.object({ id: z.enum(BUCKETS) });

export const groupView = shown({
  displayName: z.string(),
  members: z.array(z.object({ value: z.string(), $ref: z.string(), display: z.string(), type: z.string() }).partial()),
});
