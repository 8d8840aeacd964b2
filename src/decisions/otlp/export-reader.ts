// Reads the body of a trace export as observed calls. The same on the event loop and in a thread.
import {
  ExportError,
  type ExportEncoding,
  readTraceExport,
  type ExportContents,
} from '@assay/otlp-decisions';
import { type ObservedCall, toObservedCall } from '../../domain/otlp/observed-call.ts';
import { AppError } from '../../errors.ts';

export interface ExportBody {
  bytes: Uint8Array;
  encoding: ExportEncoding;
}

export interface ReadExport extends Omit<ExportContents, 'decisions'> {
  calls: ObservedCall[];
}

/** @throws AppError `VALIDATION_ERROR` for no such export, `PAYLOAD_TOO_LARGE` for one beyond the bounds */
export function readExport({ bytes, encoding }: ExportBody): ReadExport {
  try {
    const { decisions, ...read } = readTraceExport(bytes, encoding);
    return { ...read, calls: decisions.map(toObservedCall) };
  } catch (error) {
    if (!(error instanceof ExportError)) throw error;
    const code = error.isTooLarge ? 'PAYLOAD_TOO_LARGE' : 'VALIDATION_ERROR';
    throw new AppError(code, error.message, { cause: error });
  }
}
