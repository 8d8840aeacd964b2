// Lays out the audit log as PDF: a row for each entry with its sequence and full hash; the JSON export has all members.
import { truncate } from '@assay/json';
import type { PdfDocument } from '../../../platform/pdf/pdf-document.ts';
import type { AuditFilter } from '../audit-filter.ts';
import type { AuditEntryView } from '../audit.schemas.ts';

/** Longer texts are truncated, to keep rows short. */
const CELL_CHARACTERS = 300;

const COLUMNS = [
  { title: 'Time (UTC)', width: 78 },
  { title: 'Who' },
  { title: 'Action', width: 130 },
  { title: 'Status', width: 34 },
  { title: 'Resource and detail', width: 150 },
  { title: 'Chain: entry, SHA-256', width: 162 },
] as const;

/** The cells of an entry, in the order of the columns. */
export function toAuditPdfRow(entry: AuditEntryView): string[] {
  const { createdAt, action, status, resource, resourceId, detail, sequence, chainHash } = entry;
  const time = createdAt.toISOString().replace('T', ' ').replace('Z', '');
  const subject = [resource, resourceId].filter((part) => part !== null).join(' ');
  return [
    ...[time, describeActor(entry), action, status].map(truncateCell),
    [subject, detail ?? '']
      .filter((line) => line !== '')
      .map(truncateCell)
      .join('\n'),
    `${sequence}: ${chainHash}`,
  ];
}

interface Heading {
  organizationId: string;
  organizationName: string;
  filter: AuditFilter;
  createdAt: Date;
}

export function buildAuditPdf(rows: string[][], heading: Heading): PdfDocument {
  const { organizationId, organizationName, filter, createdAt } = heading;
  const filters = Object.entries(filter).flatMap(([name, value]: [string, unknown]) =>
    value === undefined ? [] : [`${name} ${value instanceof Date ? value.toISOString() : value}`],
  );
  return {
    title: 'Audit log',
    subtitle: `Organisation ${organizationName} (${organizationId}), ${createdAt.toISOString()}`,
    createdAt,
    orientation: 'landscape',
    blocks: [
      {
        kind: 'values',
        values: [
          ['Entries', String(rows.length)],
          ['Filters', filters.join(', ') || 'none'],
          ['Order', 'newest first'],
        ],
      },
      { kind: 'table', columns: COLUMNS, rows },
    ],
  };
}

function describeActor({ userEmail, userRole, metadata }: AuditEntryView): string {
  if (userEmail !== null) return `${userEmail} (${userRole})`;
  return typeof metadata?.actor === 'string' ? metadata.actor : 'system';
}

function truncateCell(text: string): string {
  return text.length > CELL_CHARACTERS ? `${truncate(text, CELL_CHARACTERS)}…` : text;
}
