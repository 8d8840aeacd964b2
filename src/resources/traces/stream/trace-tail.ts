// The tail of one organisation's ledger, shared by its open streams: each new entry is read once and sent to all.
import { type EventChannel, READERS_IN_TURN } from '../../../domain/event-stream.ts';
import { eachOf, inTurns } from '../../../domain/others-turn.ts';
import type { Pace } from '../../../platform/jobs/pace.ts';
import type { FrameReader, TraceFrame } from './trace-frames.ts';

/** A stream that follows. */
export interface Follower {
  channel: EventChannel;
  /** Null: all workspaces. */
  workspaceId: string | null;
  /** The last sequence that it has been told of, or need not be. */
  at: number;
}

/** What is kept of the newest events, so that whoever comes back needs no read. */
const RECENT_BYTES = 1024 * 1024;

interface TailParts {
  reader: FrameReader;
  /** By which many readers are told. */
  pace: Pace;
}

export class TraceTail {
  readonly #organizationId: string;
  readonly #reader: FrameReader;
  readonly #pace: Pace;
  readonly #followers = new Set<Follower>();
  #recent: TraceFrame[] = [];
  /** `recent` holds every event after this sequence. */
  #recentFrom: number;
  #position: number;
  #advancing: Promise<void> | null = null;
  #isBehind = false;

  constructor(organizationId: string, { reader, pace }: TailParts, position: number) {
    this.#organizationId = organizationId;
    this.#reader = reader;
    this.#pace = pace;
    this.#position = position;
    this.#recentFrom = position;
  }

  /** Sends what the follower has missed, as fast as it reads, and then what is new. Rejects when a read fails. */
  async follow(follower: Follower): Promise<void> {
    const { channel } = follower;
    while (channel.isOpen && follower.at < this.#recentFrom) {
      const from = follower.at;
      const { frames, to } = await this.#reader.after(this.#organizationId, from);
      for (const frame of frames) tell(follower, frame);
      follower.at = to > from ? to : this.#recentFrom;
      await channel.drained();
    }
    if (!channel.isOpen) return;
    for (const frame of this.#recent) tell(follower, frame);
    this.#followers.add(follower);
  }

  leave(follower: Follower): void {
    this.#followers.delete(follower);
  }

  /** Reads on to the end of the chain; a call meanwhile makes it look once more. */
  async advance(): Promise<void> {
    this.#isBehind = true;
    this.#advancing ??= this.#readOn().finally(() => (this.#advancing = null));
    return this.#advancing;
  }

  async #readOn(): Promise<void> {
    while (this.#isBehind) {
      this.#isBehind = false;
      const run = await this.#reader.after(this.#organizationId, this.#position);
      this.#position = run.to;
      // Whoever comes while these are told finds the same in what is remembered.
      const followers = [...this.#followers];
      this.#remember(run.frames, new Set(run.erased));
      await this.#tellAll(followers, run.frames);
      this.#isBehind ||= run.isFull;
    }
  }

  /** A follower's frames leave in one write. */
  async #tellAll(followers: readonly Follower[], frames: readonly TraceFrame[]): Promise<void> {
    if (frames.length === 0) return;
    const tellOne = (follower: Follower): void => {
      for (const frame of frames) tell(follower, frame);
    };
    this.#pace.begin();
    await inTurns(eachOf(followers, READERS_IN_TURN, tellOne), () => this.#pace.giveWay());
  }

  #remember(frames: readonly TraceFrame[], erased: ReadonlySet<string>): void {
    this.#recent = [...this.#recent, ...frames].filter(({ traceId }) => !erased.has(traceId));
    let bytes = this.#recent.reduce((sum, frame) => sum + frame.bytes.length, 0);
    while (bytes > RECENT_BYTES) {
      const oldest = this.#recent.shift();
      if (!oldest) return;
      bytes -= oldest.bytes.length;
      this.#recentFrom = oldest.sequence;
    }
  }
}

function tell(follower: Follower, { sequence, workspaceId, bytes }: TraceFrame): void {
  if (sequence <= follower.at) return;
  follower.at = sequence;
  if (follower.workspaceId === null || follower.workspaceId === workspaceId)
    follower.channel.send(bytes);
}
