// Renders halts and resumptions as stream events, for those whom they concern.
import { formatEventFrame } from '../../../domain/event-stream.ts';
import type { HaltRecord } from '../../../domain/halt/halt.ts';
import { joinStops, type Stop } from '../../../domain/halt/stops.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { FrameRun, TraceFrame } from './trace-frames.ts';

const REGISTERED = /^[0-9a-f]{24}$/;

/** Reads the events of the halts after one sequence, without the entries between them. */
export async function readHaltsAfter(
  platform: Platform,
  organizationId: string,
  sequence: number,
): Promise<FrameRun> {
  const records = await platform.ledger.halts.listRecords(organizationId, sequence);
  const sequences = records.map((record) => record.sequence);
  const frames = await readHaltFrames(platform, organizationId, sequences);
  return { frames, erased: [], to: sequences.at(-1) ?? sequence, isFull: false };
}

/** Reads the events of the halt entries at these sequences, in their order. */
export async function readHaltFrames(
  { ledger }: Platform,
  organizationId: string,
  sequences: readonly number[],
): Promise<TraceFrame[]> {
  if (sequences.length === 0) return [];
  const wanted = new Set(sequences);
  return joinStops(await ledger.halts.listRecords(organizationId))
    .flatMap((stop) =>
      stop.history
        .filter(({ sequence }) => wanted.has(sequence))
        .map((record) => toHaltFrame(stop, record)),
    )
    .sort((a, b) => a.sequence - b.sequence);
}

function toHaltFrame(stop: Stop, { state, createdAt, reason, sequence }: HaltRecord): TraceFrame {
  const { id: haltId, scope } = stop;
  const place = findPlace(stop);
  const at = createdAt.toISOString();
  const data = { haltId, scope, state, at, sequence, reason, ...place };
  const bytes = formatEventFrame('halt', JSON.stringify(data), sequence);
  const { workspaceId, agentId, userId: personId } = place;
  return { sequence, workspaceId, agentId, personId, traceId: null, bytes };
}

/** Which decisions it concerns, as they say it themselves; null: any, or one that no one can tell. */
function findPlace({ scope, target, name, history }: Stop) {
  const session = history.find((record) => record.session !== null)?.session;
  const agent = REGISTERED.test(target) ? target : name;
  const agentOfSession = session && REGISTERED.test(session.agent) ? session.agent : null;
  return {
    workspaceId: scope === 'workspace' ? target : (session?.workspaceId ?? null),
    agentId: scope === 'agent' ? agent : agentOfSession,
    sessionId: session?.sessionId ?? null,
    userId: scope === 'person' ? target : null,
  };
}
