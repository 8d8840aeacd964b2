// Checks the headers of an OTLP request: protobuf or JSON, as it is or compressed by gzip.
import type { Request } from 'express';
import { AppError } from '../../errors.ts';
import type { Route } from '../declaration/define-route.ts';

const PROTOBUF = /^application\/x-protobuf\s*(;|$)/i;
const JSON_TYPE = /^application\/json\s*(;|$)/i;

/** Whether a request, and so its answer, is protobuf. */
export const isProtobuf = (contentType: string | undefined): boolean =>
  PROTOBUF.test(contentType ?? '');

/** A request without a content type is JSON. @throws AppError `UNSUPPORTED_MEDIA_TYPE` */
export function requireOtlpBody({ kind }: Route, { headers }: Request): void {
  if (kind !== 'otlp') return;
  const { 'content-type': type = 'application/json', 'content-encoding': encoding = 'identity' } =
    headers;
  if (!PROTOBUF.test(type) && !JSON_TYPE.test(type))
    throw new AppError(
      'UNSUPPORTED_MEDIA_TYPE',
      'Content-Type must be application/x-protobuf or application/json',
    );
  if (!/^(gzip|identity)$/i.test(encoding.trim()))
    throw new AppError('UNSUPPORTED_MEDIA_TYPE', 'Content-Encoding must be gzip, or absent');
}
