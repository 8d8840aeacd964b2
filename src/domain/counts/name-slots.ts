// Bounds the names of a day: the first ones have a place of their own, and later ones share one.
import { type DecisionPath, MARK, OTHER } from './decision-path.ts';

/** Agents that are not registered, sets of policies, and tools, of an organisation in a day. */
export const NAMES_MAX = 50;

/** The names that have a place in a day. */
export class NameSlots {
  readonly #known: Set<string>;
  readonly #max: number;

  constructor(known: Iterable<string>, max = NAMES_MAX) {
    this.#known = new Set(known);
    this.#max = max;
  }

  /** The name, or `other` once the day is full. A name that has a place keeps it. */
  resolveName(name: string): string {
    if (this.#known.has(name)) return name;
    if (this.#known.size >= this.#max) return OTHER;
    this.#known.add(name);
    return name;
  }
}

/** The part of a path that callers can vary at will; null: they cannot. */
export const findFreeAgent = ({ agent }: DecisionPath): string | null =>
  agent.startsWith(MARK) ? agent : null;

/** A set of several policies; a single one is one of those that the organisation made. */
export const findPolicySet = ({ policies }: DecisionPath): string | null =>
  policies.length > 1 ? policies.join(',') : null;

interface DaySlots {
  agents: NameSlots;
  sets: NameSlots;
}

/** The path with what has no place of its own replaced. */
export function resolvePath(path: DecisionPath, { agents, sets }: DaySlots): DecisionPath {
  const agent = findFreeAgent(path);
  const set = findPolicySet(path);
  return {
    ...path,
    agent: agent === null ? path.agent : agents.resolveName(agent),
    policies: set === null || sets.resolveName(set) === set ? path.policies : [OTHER],
  };
}
