// Inputs and views of the operations audit log (document 3, section 4.4).
import { z } from 'zod';
import { nameSchemas } from '../../http/declaration/schema-names.ts';
import { optional } from '../../http/declaration/optional.ts';
import { from, id, instant, queryNumber, to } from '../../http/declaration/views.ts';

const objectId = z
  .string()
  .regex(/^[0-9a-fA-F]{24}$/)
  .toLowerCase();

export const auditQuery = z.object({
  action: optional(z.string().min(1).max(100)),
  userId: optional(objectId),
  resource: optional(z.string().min(1).max(100)),
  resourceId: optional(z.string().min(1).max(200)),
  workspaceId: optional(objectId),
  status: optional(z.enum(['success', 'failure'])),
  dateFrom: optional(from),
  dateTo: optional(to),
  search: optional(z.string().min(1).max(100)),
});

export const auditListQuery = auditQuery.extend({
  beforeSeq: optional(
    queryNumber(z.coerce.number().int().min(1).max(Number.MAX_SAFE_INTEGER)),
  ).describe(
    'Entries below this sequence: the last one of a page leads to those after it, whatever is added in between',
  ),
});

export const auditEntryView = z.object({
  _id: id,
  organizationId: id,
  workspaceId: id.nullable(),
  userId: id.nullable(),
  userEmail: z.string().nullable(),
  userRole: z.string(),
  action: z.string(),
  resource: z.string().nullable(),
  resourceId: z.string().nullable(),
  status: z.enum(['success', 'failure']),
  detail: z.string().nullable(),
  metadata: z.record(z.string(), z.json()).nullable(),
  ipAddress: z.string().nullable(),
  userAgent: z.string().nullable(),
  sequence: z.number().int(),
  chainHash: z.string(),
  previousChainHash: z.string(),
  createdAt: instant,
});
/** An entry as the interface shows it. */
export type AuditEntryView = z.input<typeof auditEntryView>;
const pagination = z.object({
  page: z.number(),
  limit: z.number(),
  total: z.number(),
  pages: z.number(),
  hasMore: z.boolean(),
});
export const auditListView = z.object({ entries: z.array(auditEntryView), pagination });
export const auditListExtra = z.object({ pagination });
export const auditVerifyView = z.object({
  verified: z.boolean(),
  totalEntries: z.number().int(),
  lastHash: z.string().nullable(),
  error: z.string().exactOptional().describe('The first break; absent where there is none'),
});
export type AuditVerification = z.input<typeof auditVerifyView>;

nameSchemas({
  AuditEntry: auditEntryView,
  AuditEntries: auditListView,
  AuditVerification: auditVerifyView,
});
