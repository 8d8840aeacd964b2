// Event streams of new decisions: access, concurrency limits, and when streams end (document 2, section 4.1).
import type { Platform } from '../../../composition/platform.ts';
import type { EventChannel, EventStream } from '../../../domain/event-stream.ts';
import { groupBy } from '../../../domain/group-by.ts';
import { READERS } from '../../../domain/identity/roles.ts';
import type { Caller, Tenant, User } from '../../../domain/identity/tenant.ts';
import { AppError } from '../../../errors.ts';
import type { Timer } from '../../../ledger/timer.ts';
import type { Pace } from '../../../platform/jobs/pace.ts';
import type { SessionService } from '../../auth/sessions/sessions.service.ts';
import type { FrameReader } from './trace-frames.ts';
import { StreamPlaces } from './stream-places.ts';
import { type Follower, TraceTail } from './trace-tail.ts';

type Deps = Pick<Platform, 'ledger' | 'config' | 'logger' | 'shared'> & {
  frames: FrameReader;
  sessions: SessionService;
  timer: Timer;
  newPace: () => Pace;
};

/** Maximum delay of events of other instances; those of this one are sent at once. */
const POLL_MS = 1000;
/** Maximum delay until the end of a session ends its streams. */
const SESSIONS_MS = 5000;
/** Sessions checked concurrently. */
const CONCURRENCY = 4;

interface OpenStream {
  tenant: Tenant;
  user: User;
  channel: EventChannel;
}

export function createTraceStreamService(deps: Deps) {
  const { ledger, config, logger, sessions, timer } = deps;
  const places = new StreamPlaces(deps.shared, {
    user: config.ASSAY_LIMIT_STREAMS_USER,
    organization: config.ASSAY_LIMIT_STREAMS,
  });
  const tails = new Map<string, TraceTail>();
  const open = new Set<OpenStream>();
  const timers: Record<'poll' | 'sessions', (() => void) | null> = { poll: null, sessions: null };

  function newTail(organizationId: string, head: number): TraceTail {
    const parts = { reader: deps.frames, pace: deps.newPace() };
    return new TraceTail(organizationId, parts, head);
  }

  function failed(error: unknown): void {
    logger.warn({ err: error }, 'an event stream could not read on; it will try again');
  }

  async function readOn(organizationId: string): Promise<void> {
    await tails.get(organizationId)?.advance().catch(failed);
  }
  ledger.onSealed((organizationId) => void readOn(organizationId));

  /** Repeats the task while streams are open. */
  function keep(name: 'poll' | 'sessions', ms: number, work: () => Promise<unknown>): void {
    if (timers[name] || open.size === 0) return;
    timers[name] = timer.after(ms, () => {
      void work().finally(() => {
        timers[name] = null;
        keep(name, ms, work);
      });
    });
  }

  const pollAll = (): Promise<unknown> => Promise.all([...tails.keys()].map(readOn));

  async function checkSessions(): Promise<void> {
    const queue = [...groupBy(open, ({ user }) => user.jti).values()];
    const worker = async (): Promise<void> => {
      for (let group = queue.pop(); group; group = queue.pop()) await checkSession(group);
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, worker));
  }

  /** Expects streams of one session. */
  async function checkSession(streams: readonly OpenStream[]): Promise<void> {
    const [first] = streams;
    if (!first || (await mayFollow(sessions, first))) return;
    for (const { channel } of streams) channel.revoke();
  }

  function begin(stream: OpenStream, follower: Follower, tail: TraceTail): void {
    open.add(stream);
    keep('poll', POLL_MS, pollAll);
    keep('sessions', SESSIONS_MS, checkSessions);
    tail.follow(follower).catch((error: unknown) => {
      failed(error);
      stream.channel.cut();
    });
  }

  return {
    /** Starts after `lastEventId`, or with the next decision. @throws AppError `RATE_LIMIT_EXCEEDED` */
    async open(tenant: Tenant, user: User, lastEventId: number | null): Promise<EventStream> {
      const { organizationId, workspaceId } = tenant;
      const head = (await ledger.appender.head(organizationId))?.sequence ?? 0;
      const leave = await places.take(organizationId, user.userId);
      const tail = tails.get(organizationId) ?? newTail(organizationId, head);
      tails.set(organizationId, tail);
      let gone = leave;
      return {
        start(channel) {
          const stream = { tenant, user, channel };
          const follower = { channel, workspaceId, at: Math.min(lastEventId ?? head, head) };
          begin(stream, follower, tail);
          gone = () => {
            open.delete(stream);
            tail.leave(follower);
            leave();
          };
        },
        stop() {
          gone();
          if (!places.isTaken(organizationId)) tails.delete(organizationId);
        },
      };
    },
  };
}
export type TraceStreamService = ReturnType<typeof createTraceStreamService>;

/** Whether the session still lets its user read; true while that cannot be determined. */
async function mayFollow(sessions: SessionService, { tenant, user }: OpenStream): Promise<boolean> {
  const { organizationId } = tenant;
  const { userId: sub, jti, expiresAt } = user;
  try {
    const caller: Caller = await sessions.resume({
      sub,
      organizationId,
      jti,
      exp: expiresAt / 1000,
    });
    return READERS.includes(caller.role);
  } catch (error) {
    return !(error instanceof AppError) || error.http >= 500;
  }
}
