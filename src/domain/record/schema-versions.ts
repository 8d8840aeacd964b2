// The versions of the trace schema, selected by `X-Service-Version` or `schemaVersion` (document 1, section 9).
import { createDeprecationHeaders, formatDeprecationLink, isPast } from '../deprecation.ts';

/** Characters, bytes of JSON text, or items. */
export interface ContentLimits {
  promptCharacters: number;
  systemPromptCharacters: number;
  contextBytes: number;
  conversationIdCharacters: number;
  actionBytes: number;
  rationaleCharacters: number;
  alternatives: number;
  toolCalls: number;
  /**
   * Bytes of each free-form member, of each tool call, and of the further members of `inputContext` and
   * `outputDecision`.
   */
  freeBytes: number;
  /** Bytes of all alternatives of a list. `toolCallsBytes`: bytes of all tool calls. */
  alternativesBytes: number;
  toolCallsBytes: number;
  /** Keys of any one object. */
  keys: number;
}

export interface SchemaVersion {
  version: string;
  limits: ContentLimits;
  /**
   * The last day (`YYYY-MM-DD`, UTC) of a deprecated version, at least 90 days after the announcement; null: not
   * deprecated.
   */
  sunset: string | null;
}

const KIB = 1024;

/** The `Link` header of answers under a deprecated version and of refusals after its sunset. */
export const MIGRATION_LINK = formatDeprecationLink('/docs#schema-versions');

/** Oldest first; the last one is the default. */
export const SCHEMA_VERSIONS: readonly SchemaVersion[] = [
  {
    version: '2026-04-11',
    limits: {
      promptCharacters: 50_000,
      systemPromptCharacters: 50_000,
      contextBytes: 100 * KIB,
      conversationIdCharacters: 256,
      actionBytes: 10 * KIB,
      rationaleCharacters: 50_000,
      alternatives: 10,
      toolCalls: 50,
      freeBytes: 100 * KIB,
      alternativesBytes: 100 * KIB,
      toolCallsBytes: 500 * KIB,
      keys: 1000,
    },
    sunset: null,
  },
];

export type VersionChoice =
  | { kind: 'chosen'; version: SchemaVersion }
  | { kind: 'unknown'; named: string }
  | { kind: 'contradictory' }
  | { kind: 'sunset'; version: SchemaVersion };

/** The version named by header and body; the latest when neither names one. */
export function chooseVersion(
  named: readonly (string | undefined)[],
  now: Date,
  registered: readonly SchemaVersion[] = SCHEMA_VERSIONS,
): VersionChoice {
  const wanted = [...new Set(named.filter((name) => name !== undefined))];
  const unknown = wanted.find((name) => !registered.some(({ version }) => version === name));
  if (unknown !== undefined) return { kind: 'unknown', named: unknown };
  if (wanted.length > 1) return { kind: 'contradictory' };
  const version = registered.findLast(
    (candidate) => wanted.length === 0 || candidate.version === wanted[0],
  );
  if (!version) return { kind: 'unknown', named: 'none is registered' };
  const isOver = version.sunset !== null && isPast(version.sunset, now);
  return { kind: isOver ? 'sunset' : 'chosen', version };
}

/** `Deprecation`, `Sunset` and `Link` for answers under a deprecated version; none under any other. */
export function findDeprecationHeaders(
  named: string,
  registered: readonly SchemaVersion[] = SCHEMA_VERSIONS,
): Readonly<Record<string, string>> {
  const sunset = registered.find(({ version }) => version === named)?.sunset;
  return sunset == null ? {} : createDeprecationHeaders(sunset, MIGRATION_LINK);
}
