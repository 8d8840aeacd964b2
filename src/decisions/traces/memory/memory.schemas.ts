// Input and view of the memory search (document 2, section 4.1).
import { z } from 'zod';
import { nameSchemas } from '../../../http/declaration/schema-names.ts';
import { withDefault } from '../../../http/declaration/optional.ts';
import { id, instant } from '../../../http/declaration/views.ts';
import { traceView } from '../traces.schemas.ts';

const score = z.number().min(0).max(1);

export const memoryBody = z.object({
  query: z.string().trim().min(1).max(2000),
  topK: withDefault(z.number().int().min(1).max(50), 10),
  minScore: withDefault(score, 0).describe('Cosine of the vectors; 1 means the same words'),
  judged: withDefault(z.boolean(), false).describe(
    'true: only held decisions that a person approved or rejected, among the nearest 2,000',
  ),
});
export type MemoryQuery = z.output<typeof memoryBody>;

export const memoryView = z.object({
  query: z.string(),
  topK: z.number().int(),
  minScore: z.number(),
  judged: z.boolean(),
  model: z.string().describe('By which texts were compared'),
  behind: z
    .int()
    .describe(
      'How many of the newest entries of the chain were not indexed when the search began; the first search of an organisation begins the indexing',
    ),
  results: z.array(
    z.object({
      traceId: z.string(),
      _id: id,
      score,
      matchedText: z
        .string()
        .nullable()
        .describe(
          'What of the decision is nearest to the query; null where its payload is not shown',
        ),
      verdict: z
        .object({ decision: z.enum(['approve', 'reject']), decidedAt: instant, decidedBy: id })
        .nullable()
        .describe('What a person decided in its review; null: none did'),
      trace: traceView,
    }),
  ),
});
export type MemoryAnswer = z.input<typeof memoryView>;

nameSchemas({ MemoryQuery: memoryBody, MemoryAnswer: memoryView });
