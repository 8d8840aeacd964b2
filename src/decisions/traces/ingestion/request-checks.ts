// Checks an ingestion before it is judged: the requested schema version, and that version's content limits.
import { findLimitViolations } from '../../../domain/record/content-limits.ts';
import {
  chooseVersion,
  MIGRATION_LINK,
  type SchemaVersion,
} from '../../../domain/record/schema-versions.ts';
import { AppError, limitIssues } from '../../../errors.ts';
import type { IngestBody } from '../traces.schemas.ts';

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** The value of a header; undefined when it is absent or empty. */
export function readHeader(headers: Headers, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/**
 * @throws AppError `SVC_UNKNOWN_SCHEMA_VERSION`, `VERSION_SUNSET`, `SVC_VALIDATION_FAILED` when header and body differ
 */
export function resolveSchemaVersion(
  headers: Headers,
  { schemaVersion }: { schemaVersion?: string | undefined },
  now: Date,
): SchemaVersion {
  const choice = chooseVersion([readHeader(headers, 'x-service-version'), schemaVersion], now);
  if (choice.kind === 'chosen') return choice.version;
  if (choice.kind === 'unknown')
    throw new AppError(
      'SVC_UNKNOWN_SCHEMA_VERSION',
      `Unknown schema version ${JSON.stringify(choice.named)}`,
    );
  if (choice.kind === 'contradictory')
    throw new AppError('SVC_VALIDATION_FAILED', 'X-Service-Version and schemaVersion differ');
  throw new AppError('VERSION_SUNSET', undefined, { headers: { Link: MIGRATION_LINK } });
}

/** @throws AppError `SVC_VALIDATION_FAILED` */
export function requireWithinLimits(
  body: IngestBody,
  limits: SchemaVersion['limits'],
  sentBytes: number,
): void {
  const violations = findLimitViolations(body, limits, sentBytes);
  if (violations.length === 0) return;
  const text = violations
    .slice(0, 3)
    .map(({ path, limit, found, unit }) => `${path}: ${found} ${unit}, at most ${limit}`)
    .join('; ');
  const issues = violations.map(({ path, limit, unit }) => ({
    path,
    message: `at most ${limit} ${unit}`,
  }));
  throw new AppError('SVC_VALIDATION_FAILED', text, { data: limitIssues(issues) });
}
