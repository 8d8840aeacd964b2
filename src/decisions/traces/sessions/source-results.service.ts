// Who may have written the results in which the values of a decision were seen.
import { LRUCache } from 'lru-cache';
import { readResultFields, type ResultFields, type SeenValues } from '@assay/policy';
import { limitEntries } from '../../../domain/entry-limit.ts';
import { readCommittedState } from '../../../domain/record/committed-state.ts';
import { perInstance } from '../../../platform/per-instance.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { TraceDocument } from '../traces.model.ts';

/** Results of a decision's session that are looked up; others count as written by outsiders. */
const SOURCES_MAX = 200;
/** Decisions that are kept in memory: what is sealed of them does not change. */
const KEPT_MAX = 10_000;

/** The result of a decision, and the session that it belongs to; null: it was judged on none. */
interface SourceResult {
  sessionKey: string | null;
  fields: ResultFields;
}

const openKnown = perInstance(() => new LRUCache<string, SourceResult>(limitEntries(KEPT_MAX)));

/** The results that these decisions of one session gave. */
export async function loadSourceResults(
  platform: Platform,
  { organizationId, key }: { organizationId: string; key: string },
  traceIds: readonly string[],
): Promise<SeenValues['results']> {
  const wanted = traceIds.slice(0, SOURCES_MAX);
  if (wanted.length === 0) return {};
  const known = openKnown(platform);
  const toName = (traceId: string): string => `${organizationId}/${traceId}`;
  const missing = wanted.filter((traceId) => !known.has(toName(traceId)));
  for (const [traceId, result] of await readResults(platform, organizationId, missing))
    known.set(toName(traceId), result);
  const found = wanted.flatMap((traceId) => {
    const result = known.get(toName(traceId));
    return result?.sessionKey === key ? [[traceId, result.fields] as const] : [];
  });
  return Object.fromEntries(found);
}

async function readResults(
  { models }: Platform,
  organizationId: string,
  traceIds: readonly string[],
): Promise<[string, SourceResult][]> {
  if (traceIds.length === 0) return [];
  const found = await models.traces
    .find({ organizationId, traceId: { $in: traceIds } }, 'traceId sealed.state')
    .lean<Pick<TraceDocument, 'traceId' | 'sealed'>[]>();
  return found.map(({ traceId, sealed }) => {
    const { session, acts = [] } = readCommittedState(sealed);
    return [traceId, { sessionKey: session?.key ?? null, fields: readResultFields(acts) }];
  });
}
