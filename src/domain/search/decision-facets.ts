// What lists of decisions are filtered by beside words: tools, amounts, tags and workspace, as terms of an index.
import { type ActionSummary, isToolPrefix, toSnakeCase, toToolPrefix } from '@assay/policy';
import type { Json } from '@assay/json';
import { listCoveringTerms, listAmountTerms, toCoarseTerms } from './amount-terms.ts';

/** Characters of a tool's name that count. */
export const TOOL_MAX = 200;
/** Characters that a prefix may have. */
export const PREFIX_MAX = 64;
/** Different tools of a decision that count: it has fewer, but for names in unusual places. */
const TOOLS_MAX = 100;
/** Characters of an action that are searched. */
const ACTION_TEXT_MAX = 20_000;

/** The columns that are facets. */
export interface PlainFacets {
  workspaceId: string;
  tags: readonly string[];
  /** The ids of those on whose behalf it was made, as they are stored. */
  subjectIds?: readonly string[];
}

/** Where the status of a decision comes from: a person, the policies, or neither while it waits and when it is withdrawn. */
export const DECIDERS = ['person', 'policy', 'undecided'] as const;
export type Decider = (typeof DECIDERS)[number];

/** What is asked for; each that is present has to fit. */
export interface FacetQuery {
  tool?: string | undefined;
  tag?: string | undefined;
  workspaceId?: string | undefined;
  minAmount?: number | undefined;
  maxAmount?: number | undefined;
  decidedBy?: Decider | undefined;
  subjectId?: string | undefined;
}

/** A decision has to have one of the terms. */
export interface FacetTerms {
  terms: readonly string[];
  /** Those that narrow the look-up, few. */
  coarse: readonly string[];
}

/** The terms of a decision. */
export function* listFacetTerms(
  { names, most }: ActionSummary,
  { workspaceId, tags, subjectIds = [] }: PlainFacets,
): Generator<string, void> {
  yield `w:${workspaceId}`;
  for (const id of new Set(subjectIds)) yield toSubjectTerm(id);
  for (const tag of tags) yield `g:${tag}`;
  const tools = new Set(names.map((name) => name.slice(0, TOOL_MAX)));
  for (const tool of [...tools].slice(0, TOOLS_MAX)) {
    yield `t:${tool}`;
    for (let length = 0; length <= Math.min(tool.length, PREFIX_MAX); length++)
      yield `p:${tool.slice(0, length)}`;
  }
  if (most !== null) for (const term of listAmountTerms(most)) yield `a:${term}`;
}

const toSubjectTerm = (id: string): string => `u:${id}`;
export const toDeciderTerm = (decider: Decider): string => `b:${decider}`;

/** One set for each facet that is asked for. */
export function listFacetSets(query: FacetQuery): FacetTerms[] {
  const { tool, tag, workspaceId, minAmount, maxAmount, decidedBy, subjectId } = query;
  const sets: FacetTerms[] = [];
  const addSet = (terms: string[], coarse = terms): void => void sets.push({ terms, coarse });
  if (tool !== undefined) addSet([toToolTerm(tool)]);
  if (tag !== undefined) addSet([`g:${tag}`]);
  if (minAmount !== undefined || maxAmount !== undefined) {
    const terms = listCoveringTerms(minAmount ?? 0, maxAmount ?? Infinity);
    const [all, coarse] = [terms, toCoarseTerms(terms)].map((some) =>
      some.map((one) => `a:${one}`),
    );
    addSet(all ?? [], coarse);
  }
  if (workspaceId !== undefined) addSet([`w:${workspaceId}`]);
  if (subjectId !== undefined) addSet([toSubjectTerm(subjectId)]);
  if (decidedBy !== undefined) addSet([toDeciderTerm(decidedBy)]);
  return sets;
}

function toToolTerm(tool: string): string {
  return isToolPrefix(tool)
    ? `p:${toToolPrefix(tool)}`
    : `t:${toSnakeCase(tool).slice(0, TOOL_MAX)}`;
}

/** Members of an output that are searched as texts of their own, or say nothing of what is done. */
const NOT_OF_ACTION = new Set(['rationale', 'alternatives', 'confidence']);

/** The texts and numbers of an action and of calls, as one text of bounded length. */
export function collectActionText(output: Json): string {
  const parts: string[] = [];
  let length = 0;
  const open: Iterator<Json>[] = [listMembers(output, NOT_OF_ACTION)];
  while (open.length > 0 && length < ACTION_TEXT_MAX) {
    const { value, done } = open.at(-1)!.next();
    if (done) open.pop();
    else if (value !== null && typeof value === 'object') open.push(listMembers(value));
    else if (typeof value === 'string' || typeof value === 'number') {
      const text = String(value);
      parts.push(text);
      length += text.length + 1;
    }
  }
  return parts.join('\n').slice(0, ACTION_TEXT_MAX);
}

function* listMembers(value: Json, without?: ReadonlySet<string>): Generator<Json, void> {
  if (value === null || typeof value !== 'object') return;
  if (Array.isArray(value)) return yield* value;
  for (const name of Object.keys(value)) if (!without?.has(name)) yield value[name] as Json;
}
