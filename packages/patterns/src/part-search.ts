// Finds which of many texts occur in one, in time that grows with the sum of their lengths.
import { createTextSearch } from './text-search.ts';

/** Characters times parts up to which each part is looked for by itself, in at most 2 ms. */
const FEW = 100_000;

/** The `parts` that occur in `text`. */
export function findParts(parts: readonly string[], text: string): ReadonlySet<string> {
  return parts.length * text.length <= FEW
    ? new Set(parts.filter((part) => createTextSearch(part)(text)))
    : new PartAutomaton(parts).findParts(text);
}

/** A prefix of one part or several. */
interface State {
  next: Map<number, State>;
  /** The longest shorter prefix that this one ends with; null for the empty one. */
  border: State | null;
  /** The part that equals this prefix; null when none does. */
  part: string | null;
}

/** Aho and Corasick: reads a text once for all parts. */
class PartAutomaton {
  readonly #start: State = { next: new Map(), border: null, part: null };

  constructor(parts: readonly string[]) {
    for (const part of parts) this.#add(part);
    // States are linked in order of length, since the border of a state is shorter than the state.
    for (let states = [this.#start]; states.length > 0;)
      states = states.flatMap((state) =>
        [...state.next].map(([unit, longer]) => {
          longer.border = state.border === null ? this.#start : this.#after(state.border, unit);
          return longer;
        }),
      );
  }

  findParts(text: string): Set<string> {
    const found = new Set<string>(this.#start.part === null ? [] : [this.#start.part]);
    const seen = new Set<State>([this.#start]);
    let state = this.#start;
    for (let at = 0; at < text.length; at++) {
      state = this.#after(state, text.charCodeAt(at));
      for (let end: State | null = state; end !== null && !seen.has(end); end = end.border) {
        seen.add(end);
        if (end.part !== null) found.add(end.part);
      }
    }
    return found;
  }

  #add(part: string): void {
    let state = this.#start;
    for (let at = 0; at < part.length; at++) {
      const unit = part.charCodeAt(at);
      let longer = state.next.get(unit);
      if (!longer) state.next.set(unit, (longer = { next: new Map(), border: null, part: null }));
      state = longer;
    }
    state.part = part;
  }

  #after(state: State, unit: number): State {
    for (let from: State | null = state; from !== null; from = from.border) {
      const longer = from.next.get(unit);
      if (longer) return longer;
    }
    return this.#start;
  }
}
