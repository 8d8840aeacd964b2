// Virtual time: runs events in order, each with all its consequences, without real waiting.
import type { Timer } from '../../src/platform/concurrency/timer.ts';

interface Event {
  at: number;
  order: number;
  run: () => void;
}

export class VirtualTime implements Timer {
  /** Milliseconds since the simulation began. */
  now = 0;
  #order = 0;
  #events: Event[] = [];

  schedule(ms: number, run: () => void): () => void {
    const event = { at: this.now + ms, order: this.#order++, run };
    const index = this.#events.findLastIndex(({ at }) => at <= event.at);
    this.#events.splice(index + 1, 0, event);
    return () => {
      const place = this.#events.indexOf(event);
      if (place >= 0) this.#events.splice(place, 1);
    };
  }

  elapsed(): number {
    return this.now;
  }

  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.schedule(ms, resolve);
    });
  }

  /** Runs every event up to a moment, in milliseconds; false when there was none left before. */
  async runUntil(end: number): Promise<boolean> {
    for (;;) {
      await new Promise(setImmediate);
      const next = this.#events[0];
      if (!next || next.at > end) return next !== undefined;
      this.#events.shift();
      this.now = next.at;
      next.run();
    }
  }
}
