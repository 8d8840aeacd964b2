// Decisions of AI agents from trace exports of OpenTelemetry: what the package offers.
export { SPAN_DIALECTS, type DialectName } from './dialect.ts';
export { ExportError } from './export-error.ts';
export { exportLimits } from './export-limits.ts';
export type { MappedSpans, ReportedAction, SpanCount, SpanDecision } from './map-spans.ts';
export {
  type ExportEncoding,
  findExportEncoding,
  readTraceExport,
  type ExportContents,
} from './read-trace-export.ts';
export { DEFINITIONS } from './wire/definitions.ts';
export { encodeExportResponse, encodeStatus, type PartialSuccess } from './wire/messages.ts';
