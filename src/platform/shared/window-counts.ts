// Counts by key in fixed windows, each of which begins with its first count; what has ended is forgotten.

/** What is counted: `room` tells whose keys they are, and the limit is what the count is compared with. */
export interface Counted {
  room: string;
  key: string;
  windowMs: number;
  limit: number;
  /** Whether workers must not let through more than the limit together, whatever it costs to ask. */
  exact: boolean;
}

export type CountedKey = Pick<Counted, 'room' | 'key' | 'windowMs'>;

export interface WindowCount {
  /** Of the window so far, this one included. */
  hits: number;
  /** Until the window ends. */
  resetMs: number;
}

interface Window {
  hits: number;
  endsAt: number;
}

/** The windows of one room. */
class Room {
  readonly #windowMs: number;
  #newer = new Map<string, Window>();
  #older = new Map<string, Window>();
  #turnsAt = 0;

  constructor(windowMs: number) {
    this.#windowMs = windowMs;
  }

  add(key: string, count: number, now: number): WindowCount {
    this.#forget(now);
    const known = this.#newer.get(key) ?? this.#older.get(key);
    const window = known && known.endsAt > now ? known : { hits: 0, endsAt: now + this.#windowMs };
    window.hits += count;
    this.#newer.set(key, window);
    return { hits: window.hits, resetMs: window.endsAt - now };
  }

  /** Windows that were not touched for as long as one lasts have ended. */
  #forget(now: number): void {
    if (now < this.#turnsAt) return;
    this.#older = now < this.#turnsAt + this.#windowMs ? this.#newer : new Map();
    this.#newer = new Map();
    this.#turnsAt = now + this.#windowMs;
  }
}

export class WindowCounts {
  readonly #rooms = new Map<string, Room>();

  /** `now` in milliseconds of a clock that nobody sets. */
  add({ room, key, windowMs }: CountedKey, count: number, now: number): WindowCount {
    let windows = this.#rooms.get(room);
    if (!windows) this.#rooms.set(room, (windows = new Room(windowMs)));
    return windows.add(key, count, now);
  }
}
