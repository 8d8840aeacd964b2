// The filter of the audit log as conditions of a query (document 3, section 4.4).
import { toLiteralPattern } from '@assay/patterns';
import { SEQUENCES } from '../../ledger/chains.ts';

export interface AuditFilter {
  action?: string | undefined;
  userId?: string | undefined;
  resource?: string | undefined;
  resourceId?: string | undefined;
  workspaceId?: string | undefined;
  status?: 'success' | 'failure' | undefined;
  dateFrom?: Date | undefined;
  dateTo?: Date | undefined;
  search?: string | undefined;
  beforeSeq?: number | undefined;
}

/** Events that the interface description spells in two ways; a filter for either finds both. */
const SPELLINGS: readonly (readonly string[])[] = [
  ['scim.user.create', 'scim.user.created'],
  ['scim.user.deactivate', 'scim.user.deactivated'],
  ['team.update_role', 'team.member.role_changed'],
];

export function toAuditConditions(filter: AuditFilter): Record<string, unknown> {
  const { action, dateFrom, dateTo, search, beforeSeq, ...equal } = filter;
  const conditions: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(equal))
    if (value !== undefined) conditions[name] = value;
  if (action !== undefined) conditions.action = { $in: listSpellings(action) };
  if (dateFrom ?? dateTo)
    conditions.createdAt = { ...(dateFrom && { $gte: dateFrom }), ...(dateTo && { $lte: dateTo }) };
  if (beforeSeq !== undefined) conditions.sequence = { ...SEQUENCES, $lt: beforeSeq };
  if (search !== undefined) conditions.$or = toTextConditions(search);
  return conditions;
}

function listSpellings(action: string): readonly string[] {
  return SPELLINGS.find((names) => names.includes(action)) ?? [action];
}

/** `detail` or `resourceId` holds the text, whatever its case. */
function toTextConditions(text: string): object[] {
  const literal = toLiteralPattern(text);
  return [{ detail: literal }, { resourceId: literal }];
}
