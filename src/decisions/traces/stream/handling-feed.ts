// Finds the reviews of an organisation that were assigned or escalated since the last look: no entry says so.
import type { Models } from '../../../models.ts';
import type { TraceDocument } from '../traces.model.ts';
import { SUBJECT, toReviewFrame } from './review-frames.ts';
import type { TraceFrame } from './trace-frames.ts';

/** Looks overlap by this much, because the clocks of instances differ and writes become visible late. */
const OVERLAP_MS = 5_000;
/** Changes of each kind that one look reads; of more the newest. */
const LOOK_MAX = 200;

const CHANGES = [
  { change: 'assigned', at: 'assignedAt', to: 'assignedTo' },
  { change: 'escalated', at: 'escalatedAt', to: 'escalatedTo' },
] as const;

export class HandlingFeed {
  readonly #models: Pick<Models, 'traces'>;
  readonly #organizationId: string;
  /** Times of what was found, by its name; those that no look can find again are forgotten. */
  readonly #found = new Map<string, number>();
  #newest: number;

  constructor(models: Pick<Models, 'traces'>, organizationId: string, from: Date) {
    this.#models = models;
    this.#organizationId = organizationId;
    this.#newest = from.getTime() + OVERLAP_MS;
  }

  /** The events of what is new, in the order of their time. */
  async readNew(): Promise<TraceFrame[]> {
    const after = new Date(this.#newest - OVERLAP_MS);
    const events = (await Promise.all(CHANGES.map((kind) => this.#read(kind, after)))).flat();
    for (const [name, at] of this.#found) if (at < after.getTime()) this.#found.delete(name);
    events.sort((a, b) => a.at - b.at);
    for (const { name, at } of events) {
      this.#found.set(name, at);
      this.#newest = Math.max(this.#newest, at);
    }
    return events.map(({ frame }) => frame);
  }

  async #read({ change, at: member, to }: (typeof CHANGES)[number], after: Date) {
    const where = {
      organizationId: this.#organizationId,
      deletedAt: null,
      [`review.${member}`]: { $gt: after },
    };
    const traces = await this.#models.traces
      .find(where, SUBJECT)
      .sort({ [`review.${member}`]: -1 })
      .limit(LOOK_MAX)
      .lean<TraceDocument[]>();
    return traces.flatMap((trace) => {
      const at = trace.review?.[member] ?? null;
      const name = `${trace.traceId} ${change} ${at?.getTime()}`;
      if (at === null || this.#found.has(name)) return [];
      const by = trace.review?.[to]?.toHexString() ?? null;
      return [{ name, at: at.getTime(), frame: toReviewFrame(trace, { change, at, by }) }];
    });
  }
}
