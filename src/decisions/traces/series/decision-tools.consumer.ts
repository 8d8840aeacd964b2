// Counts decisions by the tools that they call: contents are opened, and only keyed digests of names are kept.
import type { Json } from '@assay/json';
import { listCalls } from '@assay/policy';
import { NameSlots } from '../../../domain/counts/name-slots.ts';
import { deriveToolMark } from '../../../domain/counts/tool-mark.ts';
import type { TransactionalConsumer } from '../../../ledger/follow/consumer.ts';
import type { Models } from '../../../models.ts';
import { PeriodicYield } from '../../../platform/concurrency/event-loop.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { TraceDocument } from '../traces.model.ts';
import { CountSums } from './count-sums.ts';
import { loadDayKeys, toDay } from './day-keys.ts';

type Deps = Pick<Platform, 'models' | 'contents' | 'secrets'>;
type Entry = Pick<
  TraceDocument,
  'sequence' | 'workspaceId' | 'verdict' | 'timestamp' | 'createdAt' | 'sealed' | 'generation'
>;

/** Far behind, it decrypts hours of contents, and the others of its lane must not wait for it. */
const RUNS_IN_TURN = 4;
/** Characters of outputs that are parsed before other work goes on: about two milliseconds. */
const PARSED_IN_TURN = 200_000;
/** Different tools of a decision that count. */
const TOOLS_MAX = 16;

interface ToolCall {
  workspaceId: string;
  verdict: string;
  at: Date;
  mark: string;
}

export function createDecisionToolsConsumer(deps: Deps): TransactionalConsumer<TraceDocument> {
  const { models, contents } = deps;
  return {
    name: 'decision-tools',
    from: 'start',
    kinds: ['trace'],
    runsInTurn: RUNS_IN_TURN,
    projection: {
      workspaceId: 1,
      verdict: 1,
      timestamp: 1,
      createdAt: 1,
      'sealed.outputDecision': 1,
      generation: 1,
      content: 1,
    },
    async consume(entries, { session, organizationId }) {
      const opened = await contents.decryptDocuments<Entry>(organizationId, entries);
      const calls = await listToolCalls(deps, organizationId, opened);
      if (calls.length === 0) return;
      const place = await loadPlaces(models, calls, { organizationId, session });
      const sums = new CountSums();
      for (const call of calls) {
        const { workspaceId, at, verdict } = call;
        sums.addCount({ workspaceId, dimension: 'tool', at, key: `${place(call)}|${verdict}` });
      }
      const updates = sums.toUpdates(organizationId);
      if (updates.length > 0) await models.decisionCounts.bulkWrite(updates, { session });
    },
  };
}

async function listToolCalls(
  { secrets }: Deps,
  organizationId: string,
  entries: readonly Entry[],
): Promise<ToolCall[]> {
  const turns = new PeriodicYield(PARSED_IN_TURN);
  const calls: ToolCall[] = [];
  for (const { sealed, workspaceId, verdict, timestamp, createdAt } of entries) {
    const text = sealed?.['outputDecision']?.text;
    if (text === undefined) continue;
    await turns.addWork(text.length);
    const at = timestamp ?? createdAt;
    for (const name of listToolNames(text))
      calls.push({
        workspaceId,
        verdict,
        at,
        mark: deriveToolMark(secrets.ledgerKey, organizationId, name),
      });
  }
  return calls;
}

function listToolNames(text: string): string[] {
  const names = listCalls(JSON.parse(text) as Json).filter((name) => name !== null && name !== '');
  return [...new Set(names as string[])].slice(0, TOOLS_MAX);
}

const readMark = (key: string): string => key.slice(0, key.indexOf('|'));

/** Resolves with the mark that a call counts for: of a day's tools the first have one of their own. */
async function loadPlaces(
  models: Models,
  calls: readonly ToolCall[],
  context: Parameters<typeof loadDayKeys>[2],
): Promise<(call: ToolCall) => string> {
  const days = [...new Set(calls.map(({ at }) => toDay(at)))];
  const known = await loadDayKeys(models, { dimension: 'tool', days }, context);
  const slots = new Map(
    days.map((day) => [day, new NameSlots((known.get(day) ?? []).map(readMark))]),
  );
  return ({ at, mark }) => slots.get(toDay(at))?.resolveName(mark) ?? mark;
}
