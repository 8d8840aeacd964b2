// Structured logs, with secrets redacted.
import { pino, type Logger } from 'pino';

export type { Logger } from 'pino';

const SECRET_MEMBERS = [
  'password',
  'newPassword',
  'currentPassword',
  'token',
  'tempToken',
  'apiKey',
  'key',
  'secret',
  'signingSecret',
  'authorization',
  'cookie',
  '"x-api-key"',
  '"set-cookie"',
];

/** The paths that pino redacts: secret members at the top level and two levels below. */
export const REDACTED = SECRET_MEMBERS.flatMap((member) => {
  const dotted = member.startsWith('"') ? `[${member}]` : `.${member}`;
  return [member.startsWith('"') ? `[${member}]` : member, `*${dotted}`, `*.*${dotted}`];
});

/** Writes one JSON line per record to standard output, or to `destination`. `base`: what every record says. */
export function createLogger(
  level: string,
  destination?: { write(line: string): void },
  base: Record<string, unknown> | null = null,
): Logger {
  const options = { level, redact: { paths: REDACTED, censor: '[redacted]' }, base };
  return destination ? pino(options, destination) : pino(options);
}
