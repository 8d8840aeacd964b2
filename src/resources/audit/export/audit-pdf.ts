// What the PDF of the audit log shows: a row for each entry, with its place in the chain; everything else is in the JSON export.
import type { PdfDocument } from '../../../platform/pdf/pdf-document.ts';
import type { AuditFilter } from '../audit-filter.ts';
import type { AuditEntryView } from '../audit.view.ts';
import { truncate } from '../../../domain/names/truncate.ts';

/** Longer texts are cut: a row stays a row. */
const CELL_CHARACTERS = 300;
const HASH_CHARACTERS = 16;

const COLUMNS = [
  { title: 'Time (UTC)', width: 78 },
  { title: 'Who', width: 120 },
  { title: 'Action', width: 105 },
  { title: 'Status', width: 40 },
  { title: 'Resource', width: 110 },
  { title: 'Detail' },
  { title: 'Chain', width: 90 },
] as const;

/** The cells of an entry, in the order of the columns. */
export function auditPdfRow(entry: AuditEntryView): string[] {
  const { createdAt, action, status, resource, resourceId, detail, sequence, chainHash } = entry;
  return [
    createdAt.toISOString().replace('T', ' ').replace('Z', ''),
    whoOf(entry),
    action,
    status,
    [resource, resourceId].filter((part) => part !== null).join(' '),
    detail ?? '',
    `${sequence}: ${chainHash.slice(0, HASH_CHARACTERS)}`,
  ].map(cut);
}

interface Heading {
  organizationId: string;
  filter: AuditFilter;
  createdAt: Date;
}

export function auditPdf(rows: string[][], heading: Heading): PdfDocument {
  const { organizationId, filter, createdAt } = heading;
  const filters = Object.entries(filter).flatMap(([name, value]: [string, unknown]) =>
    value === undefined ? [] : [`${name} ${value instanceof Date ? value.toISOString() : value}`],
  );
  return {
    title: 'Audit log',
    subtitle: `Organisation ${organizationId}, ${createdAt.toISOString()}`,
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

function whoOf({ userEmail, userRole, metadata }: AuditEntryView): string {
  if (userEmail !== null) return `${userEmail} (${userRole})`;
  return typeof metadata?.actor === 'string' ? metadata.actor : 'system';
}

function cut(text: string): string {
  return text.length > CELL_CHARACTERS ? `${truncate(text, CELL_CHARACTERS)}…` : text;
}
