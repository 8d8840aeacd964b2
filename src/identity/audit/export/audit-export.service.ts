// Exports the operations audit log: a streamed JSON document, or a PDF with a bounded number of rows.
import type { Platform } from '../../../platform/platform.ts';
import { AppError } from '../../../errors.ts';
import { isSequence, SEQUENCES } from '../../../ledger/chains.ts';
import { readCursor, READ_MAX_MS } from '../../../platform/mongo/queries.ts';
import { type AuditFilter, toAuditConditions } from '../audit-filter.ts';
import type { AuditEntryDocument } from '../audit.model.ts';
import { auditEntryView } from '../audit.schemas.ts';
import { toAuditEntryView } from '../audit.view.ts';
import { buildAuditPdf, toAuditPdfRow } from './audit-pdf.ts';
import { getUpperRooms } from '../../upper-rooms.ts';
import type { Context } from '../../../platform/context.ts';

interface AuditExport<B> {
  type: string;
  filename: string;
  body: B;
}

/** Entries that are in memory at a time. */
const BATCH = 100;
const CHUNK_CHARACTERS = 64 * 1024;
/** Database time limit of one export; time spent waiting for the reader does not count. */
const EXPORT_MAX_MS = 10 * 60_000;

/** A failure after the first entries aborts the stream. */
export function exportAuditJson(
  ctx: Context,
  filter: AuditFilter,
): AuditExport<AsyncIterable<string>> {
  const type = 'application/json; charset=utf-8';
  return { type, filename: toFileName(ctx.platform, 'json'), body: streamDocument(ctx, filter) };
}

/** @throws AppError `VALIDATION_ERROR` above the limit of rows, and as the renderer of PDFs */
export async function exportAuditPdf(
  ctx: Context,
  filter: AuditFilter,
): Promise<AuditExport<Uint8Array>> {
  const { platform } = ctx;
  const { organizationId } = ctx.tenant;
  const rowsMax = platform.config.ASSAY_LIMIT_PDF_ROWS;
  const rows: string[][] = [];
  const bounds = { maxTimeMS: READ_MAX_MS, limit: rowsMax + 1 };
  for await (const entry of readEntries(ctx, filter, bounds))
    rows.push(toAuditPdfRow(toAuditEntryView(entry)));
  if (rows.length > rowsMax)
    throw new AppError(
      'VALIDATION_ERROR',
      `A PDF has at most ${rowsMax} rows: narrow the filters, or export JSON`,
    );
  const document = buildAuditPdf(rows, {
    organizationId,
    organizationName: (await getUpperRooms(platform).findOrganizationName(organizationId)) ?? '',
    filter,
    createdAt: platform.clock.now(),
  });
  const body = await platform.pdf.render(organizationId, document);
  return { type: 'application/pdf', filename: toFileName(platform, 'pdf'), body };
}

/** Newest first. Entries sealed during the export are not included. */
async function* readEntries(
  { platform: { models }, tenant: { organizationId, signal } }: Context,
  filter: AuditFilter,
  bounds: { maxTimeMS: number; limit?: number },
): AsyncGenerator<AuditEntryDocument> {
  const where = { organizationId, sequence: SEQUENCES, ...toAuditConditions(filter) };
  const entries = models.auditEntries
    .find(where)
    .sort({ sequence: -1 })
    .setOptions({ batchSize: BATCH, ...bounds })
    .lean<AuditEntryDocument>()
    .cursor();
  for await (const entry of readCursor(entries, signal))
    if (isSequence(entry.sequence)) yield entry;
}

async function* streamDocument(ctx: Context, filter: AuditFilter): AsyncGenerator<string> {
  let text = '{"entries":[';
  let separator = '\n';
  for await (const entry of readEntries(ctx, filter, { maxTimeMS: EXPORT_MAX_MS })) {
    text += separator + JSON.stringify(auditEntryView.parse(toAuditEntryView(entry)));
    separator = ',\n';
    if (text.length < CHUNK_CHARACTERS) continue;
    yield text;
    text = '';
  }
  yield `${text}\n]}\n`;
}

const toFileName = ({ clock }: Platform, type: string): string =>
  `assay-audit-${clock.now().toISOString().slice(0, 10)}.${type}`;
