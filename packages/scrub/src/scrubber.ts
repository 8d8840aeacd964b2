// Scrubs texts, keys and integers of JSON values by published deterministic rules (document 2; scrubbing.md).
import { formatPointer, type Json, type JsonObject } from '@assay/json';
import { LRUCache } from 'lru-cache';
import { Work, workLimits } from '@assay/patterns';
import { birthDateRule } from './rules/birth-date.ts';
import { cardRule } from './rules/card.ts';
import { emailRule } from './rules/email.ts';
import { ibanRule } from './rules/iban.ts';
import { findLabel, type LabelClass } from './rules/label.ts';
import { createNationalIdRules } from './rules/national-id.ts';
import { networkAddressRule } from './rules/network-address.ts';
import { phoneRule } from './rules/phone.ts';
import type { DetectionType, Rule } from './rule.ts';
import { mayBePersonal } from './inspect.ts';
import { type ScrubbedText, scrubText, type Scrubbing } from './scrub-text.ts';
import { secretRule } from './rules/secret.ts';

/**
 * Changes whenever any input could be scrubbed differently, including by an upgrade of the libraries that
 * docs/reference/scrubbing.md names.
 */
export const SCRUB_VERSION = 'scrub-4';

export interface ScrubOptions {
  /** National id numbers: those of all known countries (true), none (false), or these (ISO 3166-1 alpha-2). */
  nationalIds: boolean | readonly string[];
  /** The additional rules (agent setting `piiMasking`): secrets, IP addresses, labelled dates of birth. */
  extended: boolean;
}

export interface Scrubbed {
  /** The same reference when nothing was found. */
  value: Json;
  /** JSON Pointers into `value`: texts and numbers that have markers now, and objects with such a key. */
  changed: string[];
  /** Sorted and distinct; all types of the rules when the work is used up. */
  detections: DetectionType[];
}

export interface Scrubber {
  /** `SCRUB_VERSION` and the options: enough to repeat the scrubbing. Printable ASCII without quote and backslash. */
  version: string;
  /** Scrubs a copy of a JSON value of bounded depth. Values that share `work` share its limit. */
  scrubValue(value: Json, work?: Work): Scrubbed;
  scrubString(text: string, work?: Work): { text: string; detections: DetectionType[] };
}

/** The rules in force, in order of precedence. */
export function selectRules({ nationalIds, extended }: ScrubOptions): Rule[] {
  return [
    ...(extended ? [secretRule] : []),
    emailRule,
    ibanRule,
    cardRule,
    ...createNationalIdRules(nationalIds),
    phoneRule,
    ...(extended ? [networkAddressRule, birthDateRule] : []),
  ];
}

/** Creates a scrubber. Expensive: create one per set of options. */
export function createScrubber(options: ScrubOptions): Scrubber {
  return createRuleScrubber(selectRules(options), formatVersion(options));
}

function formatVersion({ nationalIds, extended }: ScrubOptions): string {
  return `${SCRUB_VERSION}.national-${formatCountries(nationalIds)}.extended-${extended ? 'on' : 'off'}`;
}

function formatCountries(nationalIds: ScrubOptions['nationalIds']): string {
  if (nationalIds === true) return 'all';
  if (nationalIds === false || nationalIds.length === 0) return 'none';
  return [...new Set(nationalIds)].sort().join('-');
}

/** A scrubber of any rules, for tests; otherwise use `createScrubber`. */
export function createRuleScrubber(rules: readonly Rule[], version: string): Scrubber {
  const every = [...new Set(rules.map(({ type }) => type))].sort();
  const listTypes = (found: ReadonlySet<DetectionType>, { left }: Work): DetectionType[] =>
    left === 0 ? every : [...found].sort();
  return {
    version,
    scrubValue(given, work = new Work(workLimits.scrubbing)) {
      const walk = new Walk({ rules, work });
      const value = walk.scrubNode(given, null);
      return { value, changed: walk.changed, detections: listTypes(walk.detections, work) };
    },
    scrubString(given, work = new Work(workLimits.scrubbing)) {
      const { text, detections } = scrubText(given, null, { rules, work });
      return { text, detections: listTypes(detections, work) };
    },
  };
}

/** One walk over a value, with the path to the current node. */
class Walk {
  readonly changed: string[] = [];
  readonly detections = new Set<DetectionType>();
  readonly #scrubbing: Scrubbing;
  readonly #keys = new Set<string>();
  readonly #path: (string | number)[] = [];

  constructor(scrubbing: Scrubbing) {
    this.#scrubbing = scrubbing;
  }

  scrubNode(node: Json, label: LabelClass | null): Json {
    if (isPlain(node)) return node;
    if (Array.isArray(node)) return this.#array(node, label);
    return isContainer(node) ? this.#object(node) : this.#leaf(node, label);
  }

  #leaf(node: Json, label: LabelClass | null): Json {
    const text = typeof node === 'number' ? String(Math.abs(node)) : String(node);
    const scrubbed = this.#noted(scrubText(text, label, this.#scrubbing));
    if (scrubbed === text) return node;
    this.changed.push(formatPointer(this.#path));
    return scrubbed;
  }

  #noted({ text, detections }: ScrubbedText): string {
    for (const type of detections) this.detections.add(type);
    return text;
  }

  #array(items: Json[], label: LabelClass | null): Json[] {
    let copy: Json[] | null = null;
    for (const [index, item] of items.entries()) {
      this.#path.push(index);
      const scrubbed = this.scrubNode(item, label);
      this.#path.pop();
      if (scrubbed !== item) (copy ??= [...items])[index] = scrubbed;
    }
    return copy ?? items;
  }

  #object(members: JsonObject): JsonObject {
    const names = this.#renamed(members);
    if (names.size > 0) this.changed.push(formatPointer(this.#path));
    const values = new Map<string, Json>();
    for (const key of Object.keys(members)) {
      const item = members[key] as Json;
      const name = names.get(key) ?? key;
      this.#path.push(name);
      const label = this.#labelOf(name);
      const scrubbed = this.scrubNode(item, label);
      this.#path.pop();
      if (scrubbed !== item) values.set(key, scrubbed);
    }
    if (names.size === 0 && values.size === 0) return members;
    return Object.fromEntries(
      Object.entries(members).map(([key, item]) => [
        names.get(key) ?? key,
        values.get(key) ?? item,
      ]),
    );
  }

  /** The class of a key. Each key costs work once, cached or not; null when the work is used up. */
  #labelOf(key: string): LabelClass | null {
    if (!this.#keys.has(key)) {
      this.#keys.add(key);
      this.#scrubbing.work.take(KEY + key.length * KEY_CHARACTER);
    }
    return this.#scrubbing.work.left === 0 ? null : keyLabels.memo(key).label;
  }

  /** New names for the keys with personal data; a number distinguishes equal ones. */
  #renamed(members: JsonObject): ReadonlyMap<string, string> {
    let names: KeyNames | null = null;
    for (const key of Object.keys(members)) {
      if (!mayBePersonal(key)) continue;
      const scrubbed = this.#noted(scrubText(key, null, this.#scrubbing));
      if (scrubbed !== key) (names ??= new KeyNames(members)).rename(key, scrubbed);
    }
    return names?.renamed ?? noNames;
  }
}

/** The new names of an object's keys. */
class KeyNames {
  readonly renamed = new Map<string, string>();
  readonly #taken: Set<string>;
  /** The copies of a name so far. */
  readonly #copies = new Map<string, number>();

  constructor(members: JsonObject) {
    this.#taken = new Set(Object.keys(members));
  }

  rename(key: string, wanted: string): void {
    let copy = this.#copies.get(wanted) ?? 1;
    let name = copy === 1 ? wanted : `${wanted} (${copy})`;
    while (this.#taken.has(name)) name = `${wanted} (${++copy})`;
    this.#copies.set(wanted, copy);
    this.#taken.add(name);
    this.renamed.set(key, name);
  }
}

const noNames: ReadonlyMap<string, string> = new Map();

function isContainer(node: Json): node is Json[] | JsonObject {
  return typeof node === 'object' && node !== null;
}

/** Whether a node cannot hold personal data. */
function isPlain(node: Json): boolean {
  if (typeof node === 'string') return !mayBePersonal(node);
  return typeof node === 'number' ? !isCandidateNumber(node) : !isContainer(node);
}

/** Integers of eight digits or more can be card, phone or id numbers. */
function isCandidateNumber(value: number): boolean {
  return Number.isSafeInteger(value) && Math.abs(value) >= 1e7;
}

/** The work of finding the class of a key. */
const KEY = 50;
const KEY_CHARACTER = 8;

/** A cache of the classes of keys: a decision takes 10 us, without it 24 (row ingest/R1). */
const keyLabels = new LRUCache<string, { label: LabelClass | null }>({
  max: 4096,
  memoMethod: (key) => ({ label: findLabel(key) }),
});
