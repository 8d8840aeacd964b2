// Judges the values of a call by where they come from: what no one vouches for may be an outsider's wish.
import type { Json, JsonObject } from '@assay/json';
import { listAtoms } from './atoms.ts';
import { isBelow } from './field-paths.ts';
import {
  isAmountFromPrompt,
  isFromNowhere,
  isFromOutside,
  isVouchedFor,
  type SeenValues,
  type Sources,
} from './origins.ts';
import { ARGUMENT_ROLES, type ArgumentRole } from './tool.ts';
import { type Effect, EFFECTS } from './tool-words.ts';

/** What is known of the values of the calls that have an effect. */
export interface ValueFacts {
  /** Roles of arguments with a value that was seen nowhere, or where outsiders write. */
  unproven: ArgumentRole[];
  /** Effects with a destination, and with an object, that no person wrote and no directory knows. */
  invented: Effect[];
  unasked: Effect[];
  /** Whether the harness saw what the person wrote. */
  promptSeen: boolean;
}

/** The roles that a tool gives to its arguments, the longest paths first. */
export type CompiledRoles = readonly { path: readonly string[]; role: ArgumentRole }[];

/** A call, and the JSON pointer of its arguments within the action; null: the harness says nothing of it. */
interface GivenCall {
  given: JsonObject;
  at: string | null;
}

/** What can be said of the values of one call. */
interface JudgedValues {
  /** Roles with a value that was seen nowhere, or where outsiders write. */
  unproven: Set<ArgumentRole>;
  /** Whether no one vouches for one of its destinations, or of its objects. */
  isInvented: boolean;
  isUnasked: boolean;
}

/** A value that a call is made with. */
interface Leaf {
  value: string | number;
  path: readonly string[];
  /** Null: the harness says nothing of this call. */
  pointer: string | null;
}

/** Words from which on a text can be a quotation. */
const QUOTATION = 4;
/** Values of a call that are looked at; what lies beyond them counts as a destination seen nowhere. */
const LEAVES_MAX = 1_000;
const NOWHERE: Sources = [];

export function compileRoles(roles: Readonly<Record<string, ArgumentRole>>): CompiledRoles {
  return Object.entries(roles)
    .map(([field, role]) => ({ path: field.split('.'), role }))
    .sort((one, other) => other.path.length - one.path.length);
}

/** Gathers what is known of the values of several calls. */
export class ValueCollector {
  private readonly seen: SeenValues;
  private readonly unproven = new Set<ArgumentRole>();
  private readonly invented = new Set<Effect>();
  private readonly unasked = new Set<Effect>();

  constructor(seen: SeenValues) {
    this.seen = seen;
  }

  /** `roles`: those of each tool that the call may be. */
  add(call: GivenCall, does: readonly Effect[], roles: readonly CompiledRoles[]): void {
    const { unproven, isInvented, isUnasked } = judgeValues(call, roles, this.seen);
    for (const role of unproven) this.unproven.add(role);
    if (isInvented) for (const effect of does) this.invented.add(effect);
    if (isUnasked) for (const effect of does) this.unasked.add(effect);
  }

  collect(): ValueFacts {
    return {
      unproven: ARGUMENT_ROLES.filter((role) => this.unproven.has(role)),
      invented: EFFECTS.filter((effect) => this.invented.has(effect)),
      unasked: EFFECTS.filter((effect) => this.unasked.has(effect)),
      promptSeen: this.seen.origins.promptSeen,
    };
  }
}

function judgeValues(
  { given, at }: GivenCall,
  roles: readonly CompiledRoles[],
  seen: SeenValues,
): JudgedValues {
  const judged: JudgedValues = { unproven: new Set(), isInvented: false, isUnasked: false };
  let left = LEAVES_MAX;
  for (const leaf of listLeaves(given, { path: [], pointer: at })) {
    if (left-- === 0) {
      judged.unproven.add('destination');
      judged.isInvented = true;
      break;
    }
    const own = new Set(roles.map((of) => findRole(of, leaf)));
    for (const role of own) judgeLeaf(judged, { leaf, role }, seen);
  }
  return judged;
}

const findRole = (roles: CompiledRoles, { path }: Leaf): ArgumentRole =>
  roles.find((of) => isBelow(of.path, path))?.role ?? 'destination';

function judgeLeaf(
  judged: JudgedValues,
  { leaf, role }: { leaf: Leaf; role: ArgumentRole },
  seen: SeenValues,
): void {
  const { whole, atoms } = findSources(leaf, seen);
  if (role === 'content') {
    if (isContentUnproven(String(leaf.value), { whole, atoms }, seen)) judged.unproven.add(role);
  } else if (role === 'amount') {
    if (!isAmountFromPrompt(whole) && isFromOutside(whole, seen)) judged.unproven.add(role);
  } else if (!isVouchedFor(whole, seen)) {
    if (role === 'destination') judged.isInvented = true;
    else judged.isUnasked = true;
    if (isUnproven(whole, seen)) judged.unproven.add(role);
  }
}

const isUnproven = (sources: Sources, seen: SeenValues): boolean =>
  !isVouchedFor(sources, seen) && (isFromNowhere(sources) || isFromOutside(sources, seen));

/** What a text links to and addresses counts, and what it quotes. */
function isContentUnproven(
  text: string,
  { whole, atoms }: { whole: Sources; atoms: readonly Sources[] | null },
  seen: SeenValues,
): boolean {
  const held = listAtoms(text);
  if (held.some((_, at) => isUnproven((atoms ? atoms[at] : whole) ?? NOWHERE, seen))) return true;
  const isLong = text.trim().split(/\s+/, QUOTATION).length === QUOTATION;
  return isLong && isFromOutside(whole, seen);
}

/** `atoms` null: the text is one itself, or nothing is said of them. */
function findSources(
  { pointer }: Leaf,
  { origins: { values } }: SeenValues,
): { whole: Sources; atoms: readonly Sources[] | null } {
  const said = pointer !== null && Object.hasOwn(values, pointer) ? values[pointer] : undefined;
  if (!said) return { whole: NOWHERE, atoms: null };
  return 'whole' in said ? said : { whole: said, atoms: null };
}

/** Texts and numbers, in the order of the document; a text without anything in it says nothing. */
function* listLeaves(
  value: Json,
  { path, pointer }: Pick<Leaf, 'path' | 'pointer'>,
): Generator<Leaf> {
  if (typeof value === 'number') yield { value, path, pointer };
  else if (typeof value === 'string') {
    if (value.trim() !== '') yield { value, path, pointer };
  } else if (Array.isArray(value)) {
    for (const [at, item] of value.entries())
      yield* listLeaves(item, { path: [...path, '*'], pointer: join(pointer, String(at)) });
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, member] of Object.entries(value))
      yield* listLeaves(member, { path: [...path, name], pointer: join(pointer, name) });
  }
}

const join = (pointer: string | null, name: string): string | null =>
  pointer === null ? null : `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
