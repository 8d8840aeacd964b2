// Event streams of new decisions: access, concurrency limits, and when streams end (document 2, section 4.1).
import { resumeSession } from '../../../identity/auth/sessions/authentication.service.ts';
import { resumeKey } from '../../../identity/auth/keys/key-authentication.service.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { EventChannel, EventStream } from '../../../domain/event-stream.ts';
import { groupBy } from '../../../domain/group-by.ts';
import { READERS } from '../../../domain/identity/roles.ts';
import type { Caller, Key, User } from '../../../domain/identity/tenant.ts';
import { AppError } from '../../../errors.ts';
import { createThrottle, LOW_LATENCY } from '../../../platform/concurrency/adaptive-throttle.ts';
import { systemTimer } from '../../../platform/concurrency/timer.ts';
import type { Context } from '../../../platform/context.ts';
import { perInstance } from '../../../platform/per-instance.ts';
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

interface Streams {
  slots: StreamSlots;
  open: Set<OpenStream>;
  /** Keyed by organisation. */
  tails: Map<string, TraceTail>;
  /** Organisations whose next look is scheduled. */
  looks: Set<string>;
  scheduled: Set<Repeated>;
}

const openStreams = perInstance((platform): Streams => {
  const { config, ledger, shared, signals } = platform;
  const tails: Streams['tails'] = new Map();
  ledger.onSealed((organizationId) => void readOn(platform, organizationId));
  signals.subscribe((organizationId) => {
    const ids = organizationId === null ? [...tails.keys()] : [organizationId];
    for (const id of ids) scheduleLook(platform, id);
  });
  const slots = new StreamSlots(shared.acquireSlot, {
    user: config.ASSAY_LIMIT_STREAMS_USER,
    organization: config.ASSAY_LIMIT_STREAMS,
  });
  return { slots, open: new Set(), tails, looks: new Set(), scheduled: new Set() };
});

/** Starts after `lastEventId`, or with the next decision. @throws AppError `RATE_LIMIT_EXCEEDED` */
export async function openTraceStream(
  ctx: StreamContext,
  lastEventId: number | null,
): Promise<EventStream> {
  const { platform, tenant, user, key } = ctx;
  const { organizationId, workspaceId, agentIds } = tenant;
  const { slots, tails } = openStreams(platform);
  const release = await slots.acquireSlot(organizationId, user?.userId ?? key?.keyId ?? '');
  const head = await readHead(platform, organizationId).catch((error: unknown) => {
    release();
    throw error;
  });
  const tail = tails.get(organizationId) ?? createTail(platform, organizationId, head);
  tails.set(organizationId, tail);
  let gone = release;
  return {
    start(channel) {
      const at = Math.min(lastEventId ?? head, head);
      const end = begin({ ...ctx, channel }, { channel, workspaceId, agentIds, at }, tail);
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

/** The returned function ends what it begins. */
function begin(stream: OpenStream, follower: Follower, tail: TraceTail): () => void {
  const { platform, channel } = stream;
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

function createTail(platform: Platform, organizationId: string, head: number): TraceTail {
  const { models, clock } = platform;
  const parts: TailParts = {
    reader: { readAfter: (id, sequence) => readFrames(platform, id, sequence) },
    handling: new HandlingFeed(models, organizationId, clock.now()),
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

async function readOn(platform: Platform, organizationId: string): Promise<void> {
  const tail = openStreams(platform).tails.get(organizationId);
  await tail?.readToHead().catch((error: unknown) => logFailure(platform, error));
}

/** Combines the signals of an organisation that ingests or decides a lot. */
function scheduleLook(platform: Platform, organizationId: string): void {
  const { tails, looks } = openStreams(platform);
  if (!tails.has(organizationId) || looks.has(organizationId)) return;
  looks.add(organizationId);
  systemTimer.schedule(LOOK_MS, () => {
    looks.delete(organizationId);
    const announcing = tails.get(organizationId)?.announceHandling();
    announcing?.catch((error: unknown) => logFailure(platform, error));
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
  const { tails } = openStreams(platform);
  await Promise.all([...tails.keys()].map((organizationId) => readOn(platform, organizationId)));
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
