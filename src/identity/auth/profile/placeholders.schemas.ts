// The answer of a placeholder route (document 1, section 4.1).
import { z } from 'zod';
import { nameSchemas } from '../../../http/declaration/schema-names.ts';

export const informationView = z.object({
  available: z.literal(false),
  feature: z.string(),
  message: z.string(),
});

nameSchemas({ Information: informationView });
