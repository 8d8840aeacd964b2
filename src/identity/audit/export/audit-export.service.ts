// Exports the operations audit log: a streamed JSON document, or a PDF with a bounded number of rows.
import type { Platform } from '../../../platform/platform.ts';
import type { Tenant } from '../../../domain/identity/tenant.ts';
import { AppError } from '../../../errors.ts';
import { isSequence, SEQUENCES } from '../../../ledger/chains.ts';
import { readCursor, READ_MAX_MS } from '../../../platform/mongo/queries.ts';
import { type AuditFilter, toAuditConditions } from '../audit-filter.ts';
import type { AuditEntryDocument } from '../audit.model.ts';
import { auditEntryView } from '../audit.schemas.ts';
import { toAuditEntryView } from '../audit.view.ts';
import { buildAuditPdf, toAuditPdfRow } from './audit-pdf.ts';

interface AuditExport<B> {
  type: string;
  filename: string;
  body: B;
}

interface OrganizationNames {
  findName(organizationId: string): Promise<string | null>;
}

/** Entries that are in memory at a time. */
const BATCH = 100;
const CHUNK_CHARACTERS = 64 * 1024;
/** Database time limit of one export; time spent waiting for the reader does not count. */
const EXPORT_MAX_MS = 10 * 60_000;

export function createAuditExportService(
  { models, clock, pdf, config }: Pick<Platform, 'models' | 'clock' | 'pdf' | 'config'>,
  { organizationFacts }: { organizationFacts: OrganizationNames },
) {
  const rowsMax = config.ASSAY_LIMIT_PDF_ROWS;

  /** Newest first. Entries sealed during the export are not included. */
  async function* readEntries(
    { organizationId, signal }: Tenant,
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

  async function* streamDocument(tenant: Tenant, filter: AuditFilter): AsyncGenerator<string> {
    let text = '{"entries":[';
    let separator = '\n';
    for await (const entry of readEntries(tenant, filter, { maxTimeMS: EXPORT_MAX_MS })) {
      text += separator + JSON.stringify(auditEntryView.parse(toAuditEntryView(entry)));
      separator = ',\n';
      if (text.length < CHUNK_CHARACTERS) continue;
      yield text;
      text = '';
    }
    yield `${text}\n]}\n`;
  }

  const toFileName = (type: string): string =>
    `assay-audit-${clock.now().toISOString().slice(0, 10)}.${type}`;

  return {
    /** A failure after the first entries aborts the stream. */
    exportJson(tenant: Tenant, filter: AuditFilter): AuditExport<AsyncIterable<string>> {
      const type = 'application/json; charset=utf-8';
      return { type, filename: toFileName('json'), body: streamDocument(tenant, filter) };
    },

    /** @throws AppError `VALIDATION_ERROR` above the limit of rows, and as the renderer of PDFs */
    async exportPdf(tenant: Tenant, filter: AuditFilter): Promise<AuditExport<Uint8Array>> {
      const { organizationId } = tenant;
      const rows: string[][] = [];
      const bounds = { maxTimeMS: READ_MAX_MS, limit: rowsMax + 1 };
      for await (const entry of readEntries(tenant, filter, bounds))
        rows.push(toAuditPdfRow(toAuditEntryView(entry)));
      if (rows.length > rowsMax)
        throw new AppError(
          'VALIDATION_ERROR',
          `A PDF has at most ${rowsMax} rows: narrow the filters, or export JSON`,
        );
      const document = buildAuditPdf(rows, {
        organizationId,
        organizationName: (await organizationFacts.findName(organizationId)) ?? '',
        filter,
        createdAt: clock.now(),
      });
      const body = await pdf.render(organizationId, document);
      return { type: 'application/pdf', filename: toFileName('pdf'), body };
    },
  };
}
export type AuditExportService = ReturnType<typeof createAuditExportService>;
