// Checks the headers of an OTLP request: protobuf or JSON, as it is or compressed by gzip.
import { findExportEncoding } from '@assay/otlp-decisions';
import type { Request } from 'express';
import { AppError } from '../../errors.ts';
import type { Route } from '../declaration/define-route.ts';

/** Whether a request, and so its answer, is protobuf. */
export const isProtobuf = (contentType: string | undefined): boolean =>
  findExportEncoding(contentType ?? '') === 'protobuf';

/** A request without a content type is JSON. @throws AppError `UNSUPPORTED_MEDIA_TYPE` */
export function requireOtlpBody({ kind }: Route, { headers }: Request): void {
  if (kind !== 'otlp') return;
  const { 'content-type': type = 'application/json', 'content-encoding': encoding = 'identity' } =
    headers;
  if (findExportEncoding(type) === null)
    throw new AppError(
      'UNSUPPORTED_MEDIA_TYPE',
      'Content-Type must be application/x-protobuf or application/json',
    );
  if (!/^(gzip|identity)$/i.test(encoding.trim()))
    throw new AppError('UNSUPPORTED_MEDIA_TYPE', 'Content-Encoding must be gzip, or absent');
}
