// Sends exports of spans to the app.
import type { Recording } from '../../setup/otlp/exports.ts';
import type { Answer, TestApp } from '../../setup/start-app.ts';

export const PROTOBUF = 'application/x-protobuf';

/** Sends a recording as its exporter did. */
export function sendRecording(
  app: TestApp,
  key: string,
  { contentType, contentEncoding, body }: Recording,
): Promise<Answer> {
  return app.call('POST', '/v1/traces', {
    key,
    raw: Buffer.from(body, 'base64'),
    headers: {
      'content-type': contentType,
      ...(contentEncoding === 'gzip' && { 'content-encoding': 'gzip' }),
    },
  });
}

export const sendExport = (
  app: TestApp,
  key: string,
  body: object,
  headers: Record<string, string> = {},
): Promise<Answer> => app.call('POST', '/v1/traces', { key, body, headers });
