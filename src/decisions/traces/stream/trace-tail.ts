// The tail of one organisation's ledger, shared by its open streams: each new entry is read once and sent to all.
import { type EventChannel, READERS_IN_TURN } from '../../../domain/event-stream.ts';
import type { Throttle } from '../../../platform/concurrency/adaptive-throttle.ts';
import { Coalescer } from '../../../platform/concurrency/coalescer.ts';
import { KeyedMutex } from '../../../platform/concurrency/keyed-mutex.ts';
import type { HandlingFeed } from './handling-feed.ts';
import type { FrameReader, TraceFrame } from './trace-frames.ts';

/** A subscribed stream. */
export interface Follower {
  channel: EventChannel;
  /** Null: all workspaces. */
  workspaceId: string | null;
  /** Null: all agents. */
  agentIds: readonly string[] | null;
  /** Those for whom it acts, and whose halts concern it; null: all persons. */
  personIds: readonly string[] | null;
  /** The last sequence that was sent, or may be skipped. */
  at: number;
}

/** Size of the recent-events buffer, which serves reconnecting clients without a database read. */
const RECENT_BYTES = 1024 * 1024;

export interface TailParts {
  reader: FrameReader;
  /** Assignments and escalations, which are no entries of the chain; null: they are not sent. */
  handling: Pick<HandlingFeed, 'readNew'> | null;
  /** Throttles sending to many followers. */
  pace: Throttle;
}

export class TraceTail {
  readonly #organizationId: string;
  readonly #reader: FrameReader;
  readonly #handling: TailParts['handling'];
  readonly #pace: Throttle;
  readonly #followers = new Set<Follower>();
  /** One follower reads what it missed at a time, so that many of them take no more of the processor than one. */
  readonly #missed = new KeyedMutex();
  #recent: TraceFrame[] = [];
  /** `recent` holds every event after this sequence. */
  #recentFrom: number;
  #position: number;
  readonly #reading = new Coalescer(() => this.#readOn());
  readonly #announcing = new Coalescer(() => this.#announce());

  constructor(organizationId: string, { reader, handling, pace }: TailParts, position: number) {
    this.#handling = handling;
    this.#organizationId = organizationId;
    this.#reader = reader;
    this.#pace = pace;
    this.#position = position;
    this.#recentFrom = position;
  }

  /** Sends missed frames, as fast as the follower reads, then new ones. Rejects when a read fails. */
  async follow(follower: Follower): Promise<void> {
    const { channel } = follower;
    while (channel.isOpen && follower.at < this.#recentFrom) {
      await this.#sendMissed(follower);
      await channel.waitForDrain();
    }
    if (!channel.isOpen) return;
    for (const frame of this.#recent) sendFrame(follower, frame);
    this.#followers.add(follower);
  }

  /** Sends the next run of missed frames. */
  async #sendMissed(follower: Follower): Promise<void> {
    await this.#missed.runExclusive(this.#organizationId, async () => {
      if (!follower.channel.isOpen) return;
      const from = follower.at;
      const { frames, to } = await this.#reader.readAfter(this.#organizationId, from);
      for (const frame of frames) sendFrame(follower, frame);
      follower.at = to > from ? to : this.#recentFrom;
    });
  }

  /** Sends what no entry says to those who follow now; a call during a look triggers another one. */
  announceHandling(): Promise<void> {
    return this.#announcing.run();
  }

  async #announce(): Promise<void> {
    const frames = (await this.#handling?.readNew()) ?? [];
    if (frames.length > 0) await this.#sendApart(frames);
  }

  /** Sends frames that have no place in the chain. */
  async #sendApart(frames: readonly TraceFrame[]): Promise<void> {
    this.#pace.begin();
    for (const follower of this.#followers) {
      for (const frame of frames)
        if (isVisible(follower, frame)) follower.channel.send(frame.bytes);
      await this.#pace.pauseWhenDue();
    }
  }

  removeFollower(follower: Follower): void {
    this.#followers.delete(follower);
  }

  /** Reads to the end of the chain; a call during the read triggers another one. */
  readToHead(): Promise<void> {
    return this.#reading.run();
  }

  async #readOn(): Promise<void> {
    let isFull = true;
    while (isFull) {
      const run = await this.#reader.readAfter(this.#organizationId, this.#position);
      this.#position = run.to;
      // A follower that joins while these are sent finds them in the recent-events buffer.
      const followers = [...this.#followers];
      this.#remember(run.frames, new Set(run.erased));
      await this.#sendToAll(followers, run.frames);
      isFull = run.isFull;
    }
  }

  /** Sends all frames of a follower in one write. */
  async #sendToAll(followers: readonly Follower[], frames: readonly TraceFrame[]): Promise<void> {
    if (frames.length === 0) return;
    this.#pace.begin();
    for (const [index, follower] of followers.entries()) {
      for (const frame of frames) sendFrame(follower, frame);
      if (index % READERS_IN_TURN === READERS_IN_TURN - 1) await this.#pace.pauseWhenDue();
    }
    await this.#pace.pauseWhenDue();
  }

  #remember(frames: readonly TraceFrame[], erased: ReadonlySet<string>): void {
    this.#recent = [...this.#recent, ...frames].filter(({ traceId }) => !erased.has(traceId ?? ''));
    let bytes = this.#recent.reduce((sum, frame) => sum + frame.bytes.length, 0);
    while (bytes > RECENT_BYTES) {
      const oldest = this.#recent.shift();
      if (!oldest) return;
      bytes -= oldest.bytes.length;
      this.#recentFrom = oldest.sequence;
    }
  }
}

function sendFrame(follower: Follower, frame: TraceFrame): void {
  if (frame.sequence <= follower.at) return;
  follower.at = frame.sequence;
  if (isVisible(follower, frame)) follower.channel.send(frame.bytes);
}

function isVisible({ workspaceId, agentIds, personIds }: Follower, frame: TraceFrame): boolean {
  const { workspaceId: workspace, agentId: agent, personId: person = null } = frame;
  return (
    (workspaceId === null || workspace === null || workspaceId === workspace) &&
    (agentIds === null || agent === null || agentIds.includes(agent)) &&
    (personIds === null || person === null || personIds.includes(person))
  );
}
