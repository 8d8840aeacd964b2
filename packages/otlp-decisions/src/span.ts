// A span as the mapping reads it: ids in hexadecimal, times in milliseconds, attributes as JSON.
import type { Json } from '@assay/json';

export interface SpanEvent {
  name: string;
  attributes: ReadonlyMap<string, Json>;
}

export interface ExportedSpan {
  /** 32 hexadecimal digits. */
  traceId: string;
  /** 16 hexadecimal digits. */
  spanId: string;
  parentSpanId: string | null;
  name: string;
  /** Null: not given. */
  startMs: number | null;
  endMs: number | null;
  attributes: ReadonlyMap<string, Json>;
  /** Those that tell what the conventions have in attributes. */
  events: readonly SpanEvent[];
  /** The text of an error; null: no error. */
  error: string | null;
  /** The instrumentation, as `name@version`; empty: unknown. */
  scope: string;
  /** `service.name` of the resource; null: none was set. */
  service: string | null;
}

/** A text attribute that is not empty. */
export function readText(span: ExportedSpan, name: string): string | undefined {
  const value = span.attributes.get(name);
  return typeof value === 'string' && value !== '' ? value : undefined;
}
