// Where the values of an action were seen before, in one run: in what the person wrote, or in results of decisions.
import { ATOMS_MAX, foldValue, listInnerAtoms } from '@assay/policy/atoms';
import { isObject, type Json, toJson } from '../json.ts';
import { LEAF_MAX, readFields, type SeenField, TEXT_MAX } from './result-fields.ts';
import { SeenText, toWanted, type Wanted } from './seen-text.ts';
import { Steps } from './steps.ts';

/**
 * Where a value was seen: `prompt`, with `~` a number that is too short to be that one for certain; or `<traceId>#<pointer>`,
 * with `~` within a leaf, with `@` as a name; `more`: further places, or too many to look at; none: nowhere.
 */
export type Sources = string[];

/** What a decision says of the values of its action. */
export type Origins = {
  /** Whether anything that the person wrote is known. */
  promptSeen: boolean;
  /** By JSON pointer into the action; of a text with addresses or links in it, their sources as well. */
  values: Record<string, Sources | { whole: Sources; atoms: Sources[] }>;
};

const RESULTS_MAX = 500;
const POINTERS_MAX = 64;
/** What stands deeper than such a pointer reaches is left out. */
const POINTER_MAX = 300;
/** Of one value, and of all values of an action. */
const SOURCES_MAX = 64;
const ALL_SOURCES_MAX = 1_024;

export class OriginTracker {
  readonly #prompts = new Map<string, SeenText>();
  #promptSize = 0;
  /** The oldest first. */
  readonly #results: { fields: SeenField[]; size: number }[] = [];
  #resultSize = 0;

  /** Adds what the person wrote. The same text again changes nothing. */
  addPrompt(given: string): void {
    const text = given.slice(0, LEAF_MAX);
    const folded = foldValue(text);
    if (this.#prompts.has(text) || folded === '') return;
    const seen = new SeenText();
    seen.add(folded);
    this.#prompts.set(text, seen);
    this.#promptSize += text.length;
    for (const oldest of this.#prompts.keys()) {
      if (this.#promptSize <= TEXT_MAX) break;
      this.#prompts.delete(oldest);
      this.#promptSize -= oldest.length;
    }
  }

  /** Forgets what the person wrote: what comes next is said in another conversation. */
  forgetPrompts(): void {
    this.#prompts.clear();
    this.#promptSize = 0;
  }

  /** Adds the result of a decision; what is no JSON counts as its text. */
  addResult(traceId: string, value: unknown): void {
    const result = readFields(traceId, readJson(value));
    this.#results.push(result);
    this.#resultSize += result.size;
    while (this.#results.length > RESULTS_MAX || this.#resultSize > TEXT_MAX)
      this.#resultSize -= this.#results.shift()!.size;
  }

  /** Says where the texts and numbers of an action were seen, except the names of tool and server. */
  describe(action: Json): Origins {
    const steps = new Steps();
    const values: Origins['values'] = {};
    const texts: { pointer: string; text: string }[] = [];
    for (const { pointer, value } of listLeaves(action, '')) {
      const wanted = toWanted(value);
      const isOther = pointer === '/tool' || pointer === '/server' || pointer.length > POINTER_MAX;
      if (wanted.text === '' || isOther) continue;
      if (Object.keys(values).length === POINTERS_MAX) break;
      values[pointer] = this.#find(wanted, steps);
      if (typeof value === 'string') texts.push({ pointer, text: value });
    }
    let left = ATOMS_MAX;
    for (const { pointer, text } of texts) {
      const inner = listInnerAtoms(text);
      const atoms = inner.slice(0, left).map((atom) => this.#find(toWanted(atom), steps));
      if (inner.length > 0) values[pointer] = { whole: values[pointer] as Sources, atoms };
      left -= atoms.length;
    }
    return { promptSeen: this.#prompts.size > 0, values: limitSources(values) };
  }

  #find(wanted: Wanted, steps: Steps): Sources {
    const prompts = [...this.#prompts.values()];
    const isFromPrompt = prompts.some((prompt) => prompt.holds(wanted, steps));
    if (isFromPrompt && steps.areLeft) return ['prompt'];
    const mayBe = wanted.isShort && prompts.some((prompt) => prompt.holdsNumber(wanted));
    const equal = new Set<string>();
    const within = new Set<string>();
    for (const { fields } of this.#results.toReversed())
      for (const { traceId, pointer, kind, text } of fields) {
        if (!steps.areLeft) return ['more'];
        const relation = text.relate(wanted, steps);
        if (relation === '#') equal.add(`${traceId}${kind}${pointer}`);
        else if (relation === '~' && kind === '#' && within.size <= SOURCES_MAX)
          within.add(`${traceId}~${pointer}`);
      }
    if (!steps.areLeft) return ['more'];
    return [...new Set([...(mayBe ? ['prompt~'] : []), ...equal, ...within])];
  }
}

/** Keeps as many sources of each value as fit together. */
function limitSources(values: Origins['values']): Origins['values'] {
  const count = Object.values(values)
    .map((of) => (Array.isArray(of) ? 1 : 1 + of.atoms.length))
    .reduce((sum, lists) => sum + lists, 0);
  const most = Math.min(SOURCES_MAX, Math.floor(ALL_SOURCES_MAX / count));
  const limit = (sources: Sources): Sources =>
    sources.length > most ? [...sources.slice(0, most - 1), 'more'] : sources;
  return Object.fromEntries(
    Object.entries(values).map(([pointer, of]) => [
      pointer,
      Array.isArray(of) ? limit(of) : { whole: limit(of.whole), atoms: of.atoms.map(limit) },
    ]),
  );
}

function* listLeaves(
  value: Json,
  pointer: string,
): Generator<{ pointer: string; value: string | number }> {
  if (typeof value === 'string' || typeof value === 'number') yield { pointer, value };
  if (!isObject(value) && !Array.isArray(value)) return;
  for (const [name, member] of Object.entries(value))
    yield* listLeaves(member, `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`);
}

function readJson(value: unknown): Json {
  if (value instanceof Error) return value.message;
  try {
    return toJson(value ?? null);
  } catch {
    return String(value);
  }
}
