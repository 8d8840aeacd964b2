// Bodies and answers of OTLP over HTTP, as its JSON encoding has them.
import { z } from 'zod';
import { nameSchemas } from '../../http/declaration/schema-names.ts';

/** The body is read by its own decoder, in protobuf as in JSON. */
export const exportBody = z
  .looseObject({})
  .describe('An export request of OpenTelemetry, in protobuf or JSON');

const count = z.string().describe('An integer of 64 bits, as a text');
const errorMessage = z.string().describe('Why, with the number of each reason');

/** Absent members mean that everything was accepted. */
const createAnswer = <T extends z.ZodRawShape>(counts: T) =>
  z.object({ partialSuccess: z.object({ ...counts, errorMessage }).exactOptional() });

export const traceExportView = createAnswer({ rejectedSpans: count });
export const logExportView = createAnswer({ rejectedLogRecords: count });
export const metricExportView = createAnswer({ rejectedDataPoints: count });

nameSchemas({
  ExportRequest: exportBody,
  TraceExportResponse: traceExportView,
  LogExportResponse: logExportView,
  MetricExportResponse: metricExportView,
});
