// Reads the body of a trace export: decodes it, checks its bounds and maps its spans. The same on the event loop and in a thread.
import { MAX_LEVELS, MAX_SPANS, MAX_EXPORT_VALUES } from '../../domain/otlp/bounds.ts';
import { mapSpans, type MappedSpans } from '../../domain/otlp/map-spans.ts';
import { pruneJson } from '../../domain/otlp/prune-json.ts';
import { ExportError, readSpans } from '../../domain/otlp/read-spans.ts';
import { AppError } from '../../errors.ts';
import { decodeTraceRequest } from '../../platform/otlp/messages.ts';

export interface ExportBody {
  bytes: Uint8Array;
  isProtobuf: boolean;
}

export interface ReadExport extends MappedSpans {
  /** Spans that cannot be recorded, by the reason. */
  refused: ReadonlyMap<string, number>;
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** @throws AppError `VALIDATION_ERROR` for no such export, `PAYLOAD_TOO_LARGE` for one beyond the bounds */
export function readExport({ bytes, isProtobuf }: ExportBody): ReadExport {
  try {
    const { spans, refused } = readSpans(isProtobuf ? decodeTraceRequest(bytes) : parseText(bytes));
    return { ...mapSpans(spans), refused };
  } catch (error) {
    if (!(error instanceof ExportError)) throw error;
    const code = error.isTooLarge ? 'PAYLOAD_TOO_LARGE' : 'VALIDATION_ERROR';
    throw new AppError(code, error.message, { cause: error });
  }
}

function parseText(bytes: Uint8Array): unknown {
  const { text, values } = pruneJson(decodeText(bytes), MAX_LEVELS);
  if (values > MAX_EXPORT_VALUES)
    throw new ExportError(
      `At most ${MAX_EXPORT_VALUES} members and elements, and ${MAX_SPANS} spans, in one request`,
      true,
    );
  try {
    return JSON.parse(text);
  } catch {
    throw new ExportError('The body is not valid JSON');
  }
}

function decodeText(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new ExportError('The body is not valid JSON in UTF-8');
  }
}
