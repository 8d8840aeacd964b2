// Finds decisions that belong together though their agent names no session.
import type { Context } from '../../../../platform/context.ts';
import { READ_MAX_MS } from '../../../../platform/mongo/queries.ts';
import { readStoredTraces, type TraceFilter } from '../../stored-traces.ts';
import type { TraceDocument } from '../../traces.model.ts';
import { readPayloadText } from '../../traces.view.ts';

/** Levels of parents and of children that are followed, and decisions that are found. */
const LEVELS_MAX = 200;
const FOUND_MAX = 1000;
/** Decisions before and after one, among which those of its conversation are sought, and their characters. */
const AROUND = 250;
const AROUND_CHARACTERS = 4 * 1024 * 1024;

type Linked = Pick<TraceDocument, 'traceId' | 'parentTraceId'>;
const LINKS = 'traceId parentTraceId';

/** Decisions of one agent that name no session, and one of them. */
interface Family {
  alike: TraceFilter;
  named: TraceDocument;
}

/** Those of the same conversation, else those that follow from each other. */
export function listUnnamed(ctx: Context, family: Family): Promise<string[]> {
  const conversation = readConversation(family.named);
  return conversation === null
    ? listFamily(ctx, family)
    : listConversation(ctx, family, conversation);
}

function readConversation(trace: TraceDocument): string | null {
  const text = readPayloadText({ changed: {}, ...trace }, 'inputContext');
  const { conversationId } = Object(JSON.parse(text ?? 'null')) as { conversationId?: unknown };
  return typeof conversationId === 'string' && conversationId !== '' ? conversationId : null;
}

const CONVERSATION_MEMBERS = {
  traceId: 1,
  sequence: 1,
  'sealed.inputContext': 1,
  content: 1,
  generation: 1,
} as const;

async function listConversation(
  ctx: Context,
  { alike, named: { traceId, sequence } }: Family,
  conversation: string,
): Promise<string[]> {
  const before = { where: { ...alike, sequence: { $gte: 1, $lt: sequence } }, sort: -1 } as const;
  const after = {
    where: { ...alike, sequence: { $gt: sequence, $lt: 2 ** 53 } },
    sort: 1,
  } as const;
  const found = [traceId];
  for (const side of [before, after])
    for await (const trace of readAround(ctx, side))
      if (readConversation(trace) === conversation) found.push(trace.traceId);
  return found;
}

/** Ends once so much was read of them. */
async function* readAround(
  { platform, tenant: { signal } }: Context,
  { where, sort }: { where: TraceFilter; sort: 1 | -1 },
): AsyncGenerator<TraceDocument> {
  const bounds = { limit: AROUND, maxTimeMS: READ_MAX_MS, signal, sort: { sequence: sort } };
  const reading = { where, projection: CONVERSATION_MEMBERS, ...bounds };
  let left = AROUND_CHARACTERS;
  for await (const run of readStoredTraces(platform, reading)) {
    yield* run;
    for (const { sealed } of run) left -= sealed?.['inputContext']?.text.length ?? 0;
    if (left < 0) return;
  }
}

/** The first decision of those that follow from each other, and all that follow from it, level by level. */
async function listFamily(ctx: Context, family: Family): Promise<string[]> {
  const root = await findRoot(ctx, family);
  const found = new Set([root.traceId, family.named.traceId]);
  let front = [root.traceId];
  for (let level = 0; level < LEVELS_MAX && front.length > 0; level += 1) {
    if (found.size >= FOUND_MAX) break;
    const next = await ctx.platform.models.traces
      .find({ ...family.alike, parentTraceId: { $in: front, $type: 'string' } }, LINKS)
      .limit(FOUND_MAX - found.size)
      .lean<Linked[]>();
    front = next.map(({ traceId }) => traceId).filter((traceId) => !found.has(traceId));
    for (const traceId of front) found.add(traceId);
  }
  return [...found];
}

async function findRoot({ platform }: Context, { alike, named }: Family): Promise<Linked> {
  let root: Linked = named;
  for (let level = 0; level < LEVELS_MAX && root.parentTraceId; level += 1) {
    const where = { ...alike, traceId: root.parentTraceId };
    const parent = await platform.models.traces.findOne(where, LINKS).lean<Linked>();
    if (!parent) break;
    root = parent;
  }
  return root;
}
