// Event streams of new decisions: access, concurrency limits, and when streams end (document 2, section 4.1).
import { resumeSession } from '../../../identity/auth/sessions/authentication.service.ts';
import { resumeKey } from '../../../identity/auth/keys/key-authentication.service.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { EventChannel, EventStream } from '../../../domain/event-stream.ts';
import { groupBy } from '../../../domain/group-by.ts';
import { READERS } from '../../../domain/identity/roles.ts';
import type { Caller, Key, Tenant, User } from '../../../domain/identity/tenant.ts';
import { AppError } from '../../../errors.ts';
import { createThrottle, LOW_LATENCY } from '../../../platform/concurrency/adaptive-throttle.ts';
import { systemTimer } from '../../../platform/concurrency/timer.ts';
import { perInstance } from '../../../platform/per-instance.ts';
import { HandlingFeed } from './handling-feed.ts';
import { createFrameReader } from './trace-frames.ts';
import { StreamSlots } from './stream-slots.ts';
import { type Follower, TraceTail } from './trace-tail.ts';

/** Maximum delay of events of other instances; those of this one are sent at once. */
const POLL_MS = 1000;
/** Maximum delay until the end of a session ends its streams. */
const SESSIONS_MS = 5000;
/** Maximum delay of what no entry says. */
const LOOK_MS = 100;
/** Sessions checked concurrently. */
const CONCURRENCY = 4;

/** Who reads: a person, or a key. */
export interface StreamReader {
  tenant: Tenant;
  user?: User | undefined;
  key?: Key | undefined;
}

interface OpenStream extends StreamReader {
  channel: EventChannel;
}

function createTraceStreams(platform: Platform) {
  const { ledger, config, logger } = platform;
  const reader = createFrameReader(platform);
  const slots = new StreamSlots(platform.shared.acquireSlot, {
    user: config.ASSAY_LIMIT_STREAMS_USER,
    organization: config.ASSAY_LIMIT_STREAMS,
  });
  const tails = new Map<string, TraceTail>();
  const open = new Set<OpenStream>();
  const timers: Record<'poll' | 'sessions', (() => void) | null> = { poll: null, sessions: null };

  function createTail(organizationId: string, head: number): TraceTail {
    const handling = new HandlingFeed(platform.models, organizationId, platform.clock.now());
    const parts = { reader, handling, pace: createThrottle(LOW_LATENCY) };
    return new TraceTail(organizationId, parts, head);
  }

  function logFailure(error: unknown): void {
    logger.warn({ err: error }, 'an event stream could not read on; it will try again');
  }

  async function readHead(organizationId: string): Promise<number> {
    return (await ledger.appender.readHead(organizationId))?.sequence ?? 0;
  }

  async function readOn(organizationId: string): Promise<void> {
    await tails.get(organizationId)?.readToHead().catch(logFailure);
  }
  ledger.onSealed((organizationId) => void readOn(organizationId));

  async function announceHandling(organizationId: string): Promise<void> {
    await tails.get(organizationId)?.announceHandling().catch(logFailure);
  }
  /** Organisations whose next look is scheduled. */
  const looks = new Set<string>();

  /** Combines the signals of an organisation that ingests or decides a lot. */
  function scheduleLook(organizationId: string): void {
    if (!tails.has(organizationId) || looks.has(organizationId)) return;
    looks.add(organizationId);
    systemTimer.schedule(LOOK_MS, () => {
      looks.delete(organizationId);
      void announceHandling(organizationId);
    });
  }
  platform.signals.subscribe((organizationId) => {
    (organizationId === null ? [...tails.keys()] : [organizationId]).forEach(scheduleLook);
  });

  /** Repeats the task while streams are open. */
  function scheduleWhileOpen(
    name: 'poll' | 'sessions',
    ms: number,
    work: () => Promise<unknown>,
  ): void {
    if (timers[name] || open.size === 0) return;
    timers[name] = systemTimer.schedule(ms, () => {
      void work().finally(() => {
        timers[name] = null;
        scheduleWhileOpen(name, ms, work);
      });
    });
  }

  const pollAll = (): Promise<unknown> => Promise.all([...tails.keys()].map(readOn));

  async function checkSessions(): Promise<void> {
    const queue = [...groupBy(open, identifyCredential).values()];
    const drainQueue = async (): Promise<void> => {
      for (let group = queue.pop(); group; group = queue.pop()) await checkSession(group);
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, drainQueue));
  }

  /** Expects streams of one session or key. */
  async function checkSession(streams: readonly OpenStream[]): Promise<void> {
    const [first] = streams;
    if (!first || (await mayFollow(platform, first))) return;
    for (const { channel } of streams) channel.revoke();
  }

  function begin(stream: OpenStream, follower: Follower, tail: TraceTail): void {
    open.add(stream);
    scheduleWhileOpen('poll', POLL_MS, pollAll);
    scheduleWhileOpen('sessions', SESSIONS_MS, checkSessions);
    tail.follow(follower).catch((error: unknown) => {
      logFailure(error);
      stream.channel.disconnect();
    });
  }

  return {
    /** Starts after `lastEventId`, or with the next decision. @throws AppError `RATE_LIMIT_EXCEEDED` */
    async openStream(reader: StreamReader, lastEventId: number | null): Promise<EventStream> {
      const { organizationId, workspaceId, agentIds } = reader.tenant;
      const owner = reader.user?.userId ?? reader.key?.keyId ?? '';
      const release = await slots.acquireSlot(organizationId, owner);
      const head = await readHead(organizationId).catch((error: unknown) => {
        release();
        throw error;
      });
      const tail = tails.get(organizationId) ?? createTail(organizationId, head);
      tails.set(organizationId, tail);
      let gone = release;
      return {
        start(channel) {
          const stream = { ...reader, channel };
          const at = Math.min(lastEventId ?? head, head);
          const follower = { channel, workspaceId, agentIds, at };
          begin(stream, follower, tail);
          gone = () => {
            open.delete(stream);
            tail.removeFollower(follower);
            release();
          };
        },
        stop() {
          gone();
          if (!slots.hasStreams(organizationId)) tails.delete(organizationId);
        },
      };
    },
  };
}

/** The open streams of an instance. */
export const openTraceStreams = perInstance(createTraceStreams);

/** Names the session or the key behind a stream. */
function identifyCredential({ user, key }: StreamReader): string {
  return user?.jti ?? key?.keyHash ?? '';
}

/** Whether the session or key still lets its holder read; true while that cannot be determined. */
async function mayFollow(platform: Platform, { tenant, user, key }: OpenStream): Promise<boolean> {
  try {
    const caller = key
      ? await resumeKey(platform, key)
      : user && (await resumeReader(platform, tenant, user));
    return caller !== undefined && READERS.includes(caller.role);
  } catch (error) {
    return !(error instanceof AppError) || error.http >= 500;
  }
}

function resumeReader(platform: Platform, tenant: Tenant, user: User): Promise<Caller> {
  const { organizationId } = tenant;
  const { userId: sub, jti, expiresAt } = user;
  return resumeSession(platform, { sub, organizationId, jti, exp: expiresAt / 1000 });
}
