// The query of a list of decisions and of its export: each member narrows it (document 2, section 4.1).
import { z } from 'zod';
import { isToolPrefix, toToolPrefix } from '@assay/policy';
import { DECIDERS, PREFIX_MAX, TOOL_MAX } from '../../../domain/search/decision-facets.ts';
import { optional } from '../../../http/declaration/optional.ts';
import {
  from,
  idParam,
  queryNumber,
  searchWords,
  subjectName,
  to,
  TRACE_ID,
} from '../../../http/declaration/views.ts';
import { status } from '../traces.schemas.ts';

/** Ten years. */
const SECONDS_MAX = 315_360_000;

const fraction = queryNumber(z.coerce.number().min(0).max(1));
const amount = queryNumber(z.coerce.number().min(0));
const seconds = queryNumber(z.coerce.number().int().min(0).max(SECONDS_MAX));
const tool = z
  .string()
  .trim()
  .min(1)
  .max(TOOL_MAX)
  .refine(
    (name) => !isToolPrefix(name) || toToolPrefix(name).length <= PREFIX_MAX,
    `must have at most ${PREFIX_MAX} characters before the star`,
  );
/** How the filters behave that ask an index. */
const INDEXED = 'Found as `search` finds: within a second or so, and not once it is erased';
export const traceQuery = z.object({
  traceId: optional(z.string().regex(TRACE_ID)).describe('Of one decision'),
  status: optional(status),
  agentId: optional(z.string().min(1).max(200)),
  sessionId: optional(z.string().trim().min(1).max(200)),
  parentTraceId: optional(z.string().regex(TRACE_ID)),
  policyId: optional(idParam).describe(
    'On which the policy acted, or which reserved of one of its limits; of those that a person approved the newest 10,000',
  ),
  humanOverride: optional(z.stringbool()),
  observed: optional(z.stringbool()).describe(
    'Acts that were done before they were reported, as by spans; false: all others',
  ),
  minConfidence: optional(fraction),
  maxConfidence: optional(fraction),
  dateFrom: optional(from),
  dateTo: optional(to),
  search: optional(searchWords).describe(
    'Whole words of rationale and triggering condition, "phrases" and -without; what is new is found within a second or so, and of what is found the newest 10,000',
  ),
  text: optional(searchWords).describe(
    `Whole words of the action, its calls, rationale and triggering condition, "phrases" and -without; every word has to be there. ${INDEXED}`,
  ),
  tool: optional(tool).describe(
    `A tool that it calls, however it is written: \`sendMail\` is \`send_mail\`. A \`*\` at the end means all that begin so. ${INDEXED}`,
  ),
  tag: optional(z.string().trim().min(1).max(100)).describe(`One of its tags. ${INDEXED}`),
  workspaceId: optional(idParam).describe(`Of one workspace that the caller sees. ${INDEXED}`),
  minAmount: optional(amount).describe(
    `At least this much money, by the highest reading of \`action.totalAmount\`. ${INDEXED}`,
  ),
  maxAmount: optional(amount).describe(`At most this much money, likewise. ${INDEXED}`),
  heldSeconds: optional(seconds).describe('Waiting for a person, for at least this many seconds'),
  subjectId: optional(subjectName).describe(
    `On whose behalf it was made: the \`id\` of a member of \`actor\`, or of the chain of a run token. ${INDEXED}`,
  ),
  decidedBy: optional(z.enum(DECIDERS)).describe(
    `Where its status comes from: \`person\`; \`policy\`, which is policies, limits, halts and deadlines; \`undecided\`: it waits, or was withdrawn. ${INDEXED}`,
  ),
});
export type TraceQuery = z.output<typeof traceQuery>;

const ignored = optional(z.string()).describe('Ignored: the export has every decision');
/** Accepts the paging parameters of the list, so that its URL can be used for the export. */
export const traceExportQuery = traceQuery.extend({ page: ignored, limit: ignored });
