// OpenTelemetry over HTTP (OTLP 1.9): spans of tool calls become decisions after the fact.
import { exportLimits } from '@assay/otlp-decisions';
import { readLargeExport, recordExport } from './otlp.service.ts';
import { route } from '../../http/declaration/define-route.ts';
import { exportBody, logExportView, metricExportView, traceExportView } from './otlp.schemas.ts';

const receive = {
  method: 'post',
  auth: 'anyKey',
  kind: 'otlp',
  bodyType: 'raw',
  bodyLimit: exportLimits.bytes,
  body: exportBody,
} as const;

const UNREAD = 'Assay reads traces: leave this exporter out';

export const otlpRoutes = [
  route({
    ...receive,
    path: '/v1/traces',
    summary: 'Take in spans of OpenTelemetry: each tool call is judged and sealed after the fact',
    writes: 'own',
    data: traceExportView,
    parseLarge: ({ ctx, meta }) => readLargeExport(ctx, meta),
    handler: ({ ctx, body, meta }) => recordExport(ctx, body, meta),
  }),
  route({
    ...receive,
    path: '/v1/logs',
    summary: 'Answers exporters of logs, which are not read',
    writes: 'none',
    data: logExportView,
    handler: async () => ({ partialSuccess: { rejectedLogRecords: '0', errorMessage: UNREAD } }),
  }),
  route({
    ...receive,
    path: '/v1/metrics',
    summary: 'Answers exporters of metrics, which are not read',
    writes: 'none',
    data: metricExportView,
    handler: async () => ({ partialSuccess: { rejectedDataPoints: '0', errorMessage: UNREAD } }),
  }),
];
