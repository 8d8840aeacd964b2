// Structured logs with every secret-bearing member redacted.
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

/** Paths pino blanks: secret members at the top and up to two levels down. */
export const REDACTED = SECRET_MEMBERS.flatMap((member) => {
  const dotted = member.startsWith('"') ? `[${member}]` : `.${member}`;
  return [member.startsWith('"') ? `[${member}]` : member, `*${dotted}`, `*.*${dotted}`];
});

/** One JSON line per record on standard output, or into `destination`. */
export function createLogger(level: string, destination?: { write(line: string): void }): Logger {
  const options = { level, redact: { paths: REDACTED, censor: '[redacted]' }, base: null };
  return destination ? pino(options, destination) : pino(options);
}
