// Where a value comes from, as the harness saw it, and what that is worth by the tools whose results it was in.
import type { Json } from '@assay/json';
import { isBelow, isSamePath } from './field-paths.ts';

/**
 * Where a value was seen: `prompt`, or `prompt~` for a number that is too short to be that one for certain;
 * `<traceId>#<pointer>`, it equals that leaf of the result of the decision; with `~` it occurs in the leaf; with `@` it is
 * the name of a member of that object; `more` stands for further places. Empty: nowhere.
 */
export type Sources = readonly string[];

/** The sources of a text with links, addresses or account numbers: of the whole, and of each of these. */
export interface TextSources {
  whole: Sources;
  atoms: readonly Sources[];
}

/** What a harness says of the values of an action (docs/guides/sessions.md). */
export interface Origins {
  /** Whether it saw what the person wrote. */
  promptSeen: boolean;
  /** The names are JSON pointers into the action. */
  values: Readonly<Record<string, Sources | TextSources>>;
}

/** Who may have written the result of a decision, by what is sealed of its tools. */
export interface ResultFields {
  /** Paths of fields that people outside may write; null: all of it. */
  outside: readonly string[] | null;
  /** Whether whole leaves of it are known names. */
  isDirectory: boolean;
}

/** What is known of the values of an action. */
export interface SeenValues {
  origins: Origins;
  /** Results of the same session, by `traceId`. */
  results: Readonly<Record<string, ResultFields>>;
}

const SAW_NOTHING: Origins = { promptSeen: false, values: {} };
export const NO_VALUES_SEEN: SeenValues = { origins: SAW_NOTHING, results: {} };

/** Reads the member `origins` of a checked body. */
export const readOrigins = (origins: Json | undefined): Origins =>
  (origins as unknown as Origins | undefined) ?? SAW_NOTHING;

/** Says something of amounts alone. */
const PROMPT_NUMBER = 'prompt~';
/** Trace id, relation and JSON pointer of a place. */
const PLACE = /^(trc_[0-9a-f]{32})([#~@])(.*)$/s;

/** The decisions whose results are named, each once. */
export function listSourceTraces({ values }: Origins): string[] {
  const said = Object.values(values).flatMap((of) =>
    'whole' in of ? [of.whole, ...of.atoms] : [of],
  );
  return [...new Set(said.flat().flatMap((source) => PLACE.exec(source)?.[1] ?? []))];
}

/** Whether the person wrote the value. */
const isFromPrompt = (sources: Sources): boolean => sources.includes('prompt');

/** Whether it is a whole leaf of a result that lists known names. */
const isKnownName = (sources: Sources, { results }: SeenValues): boolean =>
  sources.some((source) => {
    const [, traceId = '', relation] = PLACE.exec(source) ?? [];
    return relation === '#' && getResult(results, traceId)?.isDirectory === true;
  });

/** Whether a person wrote the value, or a directory knows it. */
export const isVouchedFor = (sources: Sources, seen: SeenValues): boolean =>
  isFromPrompt(sources) || isKnownName(sources, seen);

/** Whether it may be an amount that the person wrote. */
export const isAmountFromPrompt = (sources: Sources): boolean =>
  isFromPrompt(sources) || sources.includes(PROMPT_NUMBER);

/** Whether it was seen at no place that proves anything. */
export const isFromNowhere = (sources: Sources): boolean =>
  sources.every((source) => source === PROMPT_NUMBER);

/** Whether people outside may have written the value; a place that is not known counts as theirs. */
export const isFromOutside = (sources: Sources, { results }: SeenValues): boolean =>
  !isFromPrompt(sources) &&
  sources.some((source) => source !== PROMPT_NUMBER && isOutside(source, results));

function isOutside(source: string, results: SeenValues['results']): boolean {
  const [, traceId = '', relation, pointer = ''] = PLACE.exec(source) ?? [];
  const fields = getResult(results, traceId);
  if (!fields || fields.outside === null) return true;
  const path = splitPointer(pointer);
  // A name says nothing of the fields below it.
  const mayBe = relation === '@' ? isBelow : isSamePath;
  return fields.outside.some((field) => mayBe(field.split('.'), path));
}

const getResult = (results: SeenValues['results'], traceId: string): ResultFields | undefined =>
  Object.hasOwn(results, traceId) ? results[traceId] : undefined;

/** The names of a pointer in a result; `~2` stands for a name that is a star. */
const splitPointer = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((name) => name.replaceAll('~2', '*').replaceAll('~1', '/').replaceAll('~0', '~'));
