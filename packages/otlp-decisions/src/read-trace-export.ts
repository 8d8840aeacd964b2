// From the bytes of a trace export to its decisions: decodes, checks the bounds, and maps the spans.
import { ExportError } from './export-error.ts';
import { exportLimits } from './export-limits.ts';
import { mapSpans, type MappedSpans } from './map-spans.ts';
import { readSpans } from './read-spans.ts';
import { decodeTraceRequest } from './wire/messages.ts';
import { pruneJson } from './wire/prune-json.ts';

export type ExportEncoding = 'protobuf' | 'json';

export interface ExportContents extends MappedSpans {
  /** Spans that cannot be read, by the reason. */
  refused: ReadonlyMap<string, number>;
}

const PROTOBUF = /^application\/x-protobuf\s*(;|$)/i;
const JSON_TYPE = /^application\/json\s*(;|$)/i;

/** The encoding that a `Content-Type` of OTLP over HTTP names; null: it names none. */
export function findExportEncoding(contentType: string): ExportEncoding | null {
  if (PROTOBUF.test(contentType)) return 'protobuf';
  return JSON_TYPE.test(contentType) ? 'json' : null;
}

/**
 * Reads the body of a request to `/v1/traces`, after inflation. What is odd about one span costs no other.
 * @throws ExportError for what is no such request, and for one beyond the bounds
 */
export function readTraceExport(bytes: Uint8Array, encoding: ExportEncoding): ExportContents {
  if (bytes.length > exportLimits.bytes)
    throw new ExportError(`At most ${exportLimits.bytes} bytes in one request`, {
      isTooLarge: true,
    });
  const request = encoding === 'protobuf' ? decodeTraceRequest(bytes) : parseRequest(bytes);
  const { spans, refused } = readSpans(request);
  return { ...mapSpans(spans), refused };
}

function parseRequest(bytes: Uint8Array): unknown {
  const { text, values } = pruneJson(decodeText(bytes), exportLimits.jsonLevels);
  if (values > exportLimits.values)
    throw new ExportError(
      `At most ${exportLimits.values} members and elements, and ${exportLimits.spans} spans, in one request`,
      { isTooLarge: true },
    );
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new ExportError('The body is not valid JSON', { cause });
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

function decodeText(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch (cause) {
    throw new ExportError('The body is not valid JSON in UTF-8', { cause });
  }
}
