// Event streams of new decisions, and of halts: access, concurrency limits, and when streams end (document 2, section 4.1).
import { resumeSession } from '../../../identity/auth/sessions/authentication.service.ts';
import { resumeKey } from '../../../identity/auth/keys/key-authentication.service.ts';
import type { Platform } from '../../../platform/platform.ts';
import {
  type EventChannel,
  type EventStream,
  STREAM_KINDS,
  type StreamKind,
} from '../../../domain/event-stream.ts';
import { groupBy } from '../../../domain/group-by.ts';
import { READERS } from '../../../domain/identity/roles.ts';
import type { Caller, Key, User } from '../../../domain/identity/tenant.ts';
import { listPersons } from '../../../domain/workload/principal.ts';
import { AppError } from '../../../errors.ts';
import { createThrottle, LOW_LATENCY } from '../../../platform/concurrency/adaptive-throttle.ts';
import { systemTimer } from '../../../platform/concurrency/timer.ts';
import type { Context } from '../../../platform/context.ts';
import { perInstance } from '../../../platform/per-instance.ts';
import { readHaltsAfter } from './halt-frames.ts';
import { HandlingFeed } from './handling-feed.ts';
import { readFrames } from './trace-frames.ts';
import { StreamSlots } from './stream-slots.ts';
import { type Follower, type TailParts, TraceTail } from './trace-tail.ts';

/** Maximum delay of events of other instances; those of this one are sent at once. */
const POLL_MS = 1000;
/** Maximum delay until the end of a session ends its streams. */
const SESSIONS_MS = 5000;
/** Maximum delay of what no entry says. */
const LOOK_MS = 100;
/** Sessions checked concurrently. */
const CONCURRENCY = 4;

/** Who reads: a person, or a key. */
export interface StreamContext extends Context {
  user?: User | undefined;
  key?: Key | undefined;
}

interface OpenStream extends StreamContext {
  channel: EventChannel;
}

/** What is repeated while streams are open, and how often. */
const REPEATED = {
  poll: { ms: POLL_MS, work: pollAll },
  sessions: { ms: SESSIONS_MS, work: checkSessions },
} as const;
type Repeated = keyof typeof REPEATED;

interface StreamsOfKind {
  slots: StreamSlots;
  /** Keyed by organisation. */
  tails: Map<string, TraceTail>;
}

interface Streams extends Readonly<Record<StreamKind, StreamsOfKind>> {
  open: Set<OpenStream>;
  /** Kinds and organisations whose next look is scheduled. */
  looks: Set<string>;
  scheduled: Set<Repeated>;
}

const openStreams = perInstance((platform): Streams => {
  const { config, ledger, shared, signals } = platform;
  const organization = config.ASSAY_LIMIT_STREAMS;
  const createKind = (name: string, user: number): StreamsOfKind => {
    const slots = new StreamSlots(shared.acquireSlot, { name, user, organization });
    return { slots, tails: new Map() };
  };
  const all = createKind('streams', config.ASSAY_LIMIT_STREAMS_USER);
  const halt = createKind('streams of halts', organization);
  ledger.onSealed((organizationId) => {
    void readOn(platform, all.tails.get(organizationId));
    scheduleLook(platform, 'halt', organizationId);
  });
  signals.subscribe((organizationId) => {
    const ids = organizationId === null ? [...all.tails.keys()] : [organizationId];
    for (const id of ids) scheduleLook(platform, 'all', id);
  });
  return { all, halt, open: new Set(), looks: new Set(), scheduled: new Set() };
});

/** Starts after `lastEventId`, or with the next event. @throws AppError `RATE_LIMIT_EXCEEDED` */
export async function openTraceStream(
  ctx: StreamContext,
  { kind, lastEventId }: { kind: StreamKind; lastEventId: number | null },
): Promise<EventStream> {
  const { platform, tenant, user, key } = ctx;
  const { organizationId } = tenant;
  const { slots, tails } = openStreams(platform)[kind];
  const release = await slots.acquireSlot(organizationId, user?.userId ?? key?.keyId ?? '');
  const head = await readHead(platform, organizationId).catch((error: unknown) => {
    release();
    throw error;
  });
  const tail = tails.get(organizationId) ?? createTail(platform, organizationId, { kind, head });
  tails.set(organizationId, tail);
  const at = Math.min(lastEventId ?? head, head);
  let gone = release;
  return {
    start(channel) {
      const end = begin({ ...ctx, channel }, at, tail);
      gone = () => {
        end();
        release();
      };
    },
    stop() {
      gone();
      if (!slots.hasStreams(organizationId)) tails.delete(organizationId);
    },
  };
}

/** Follows from a sequence on; the returned function ends what it begins. */
function begin(stream: OpenStream, at: number, tail: TraceTail): () => void {
  const { platform, channel, tenant, key } = stream;
  const { workspaceId, agentIds } = tenant;
  const personIds = key ? listPersons(key.run?.principal) : null;
  const follower: Follower = { channel, workspaceId, agentIds, personIds, at };
  const { open } = openStreams(platform);
  open.add(stream);
  scheduleWhileOpen(platform, 'poll');
  scheduleWhileOpen(platform, 'sessions');
  tail.follow(follower).catch((error: unknown) => {
    logFailure(platform, error);
    channel.disconnect();
  });
  return () => {
    open.delete(stream);
    tail.removeFollower(follower);
  };
}

function createTail(
  platform: Platform,
  organizationId: string,
  { kind, head }: { kind: StreamKind; head: number },
): TraceTail {
  const { models, clock } = platform;
  const isAll = kind === 'all';
  const readAfter = isAll ? readFrames : readHaltsAfter;
  const parts: TailParts = {
    reader: { readAfter: (id, sequence) => readAfter(platform, id, sequence) },
    handling: isAll ? new HandlingFeed(models, organizationId, clock.now()) : null,
    pace: createThrottle(LOW_LATENCY),
  };
  return new TraceTail(organizationId, parts, head);
}

function logFailure({ logger }: Platform, error: unknown): void {
  logger.warn({ err: error }, 'an event stream could not read on; it will try again');
}

async function readHead({ ledger }: Platform, organizationId: string): Promise<number> {
  return (await ledger.appender.readHead(organizationId))?.sequence ?? 0;
}

async function readOn(platform: Platform, tail: TraceTail | undefined): Promise<void> {
  await tail?.readToHead().catch((error: unknown) => logFailure(platform, error));
}

/** Combines the signals of an organisation that ingests or decides a lot. */
function scheduleLook(platform: Platform, kind: StreamKind, organizationId: string): void {
  const streams = openStreams(platform);
  const { tails } = streams[kind];
  const name = `${kind} ${organizationId}`;
  if (!tails.has(organizationId) || streams.looks.has(name)) return;
  streams.looks.add(name);
  systemTimer.schedule(LOOK_MS, () => {
    streams.looks.delete(name);
    const tail = tails.get(organizationId);
    const looking = kind === 'all' ? tail?.announceHandling() : tail?.readToHead();
    looking?.catch((error: unknown) => logFailure(platform, error));
  });
}

function scheduleWhileOpen(platform: Platform, name: Repeated): void {
  const { open, scheduled } = openStreams(platform);
  if (scheduled.has(name) || open.size === 0) return;
  scheduled.add(name);
  const { ms, work } = REPEATED[name];
  systemTimer.schedule(ms, () => {
    void work(platform).finally(() => {
      scheduled.delete(name);
      scheduleWhileOpen(platform, name);
    });
  });
}

async function pollAll(platform: Platform): Promise<void> {
  const streams = openStreams(platform);
  const tails = STREAM_KINDS.flatMap((kind) => [...streams[kind].tails.values()]);
  await Promise.all(tails.map((tail) => readOn(platform, tail)));
}

async function checkSessions(platform: Platform): Promise<void> {
  const queue = [...groupBy(openStreams(platform).open, identifyCredential).values()];
  const drainQueue = async (): Promise<void> => {
    for (let group = queue.pop(); group; group = queue.pop()) await checkSession(group);
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, drainQueue));
}

/** Expects streams of one session or key. */
async function checkSession(streams: readonly OpenStream[]): Promise<void> {
  const [first] = streams;
  if (!first || (await mayFollow(first))) return;
  for (const { channel } of streams) channel.revoke();
}

/** Names the session or the key behind a stream. */
function identifyCredential({ user, key }: StreamContext): string {
  return user?.jti ?? key?.keyHash ?? '';
}

/** Whether the session or key still lets its holder read; true while that cannot be determined. */
async function mayFollow(ctx: StreamContext): Promise<boolean> {
  const { platform, user, key } = ctx;
  try {
    const caller = key ? await resumeKey(platform, key) : user && (await resumeReader(ctx, user));
    return caller !== undefined && READERS.includes(caller.role);
  } catch (error) {
    return !(error instanceof AppError) || error.http >= 500;
  }
}

function resumeReader({ platform, tenant }: Context, user: User): Promise<Caller> {
  const { organizationId } = tenant;
  const { userId: sub, jti, expiresAt } = user;
  return resumeSession(platform, { sub, organizationId, jti, exp: expiresAt / 1000 });
}
