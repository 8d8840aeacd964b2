// Scrubbing of personal data in payloads (document 2, DecisionTrace): texts, keys and whole numbers of a JSON value, by published deterministic rules (docs/scrubbing.md).
import type { Json, JsonObject } from '../record/json.ts';
import { birthDateRule } from './rules/birth-date.ts';
import { cardRule } from './rules/card.ts';
import { emailRule } from './rules/email.ts';
import { ibanRule } from './rules/iban.ts';
import { labelOf, type LabelClass } from './rules/label.ts';
import { nationalIdRules } from './rules/national-id.ts';
import { networkAddressRule } from './rules/network-address.ts';
import { phoneRule } from './rules/phone.ts';
import type { DetectionType, Rule } from './rule.ts';
import { scrubText } from './scrub-text.ts';
import { secretRule } from './rules/secret.ts';

/** Version of the rules; it changes whenever any input could be scrubbed differently, also by an upgrade of the libraries named in docs/scrubbing.md. */
export const SCRUB_VERSION = 'scrub-1';

export interface ScrubOptions {
  /** National id numbers of all known countries (true), of none (false), or of these (ISO 3166-1 alpha-2). */
  nationalIds: boolean | readonly string[];
  /** The additional pass (agent setting `piiMasking`): secrets, internet addresses, labelled dates of birth. */
  extended: boolean;
}

export interface Scrubbed {
  /** The same reference when nothing was found. */
  value: Json;
  /** JSON Pointers into `value` of what changed: a text or number that holds markers now, or an object of which a key does. */
  changed: string[];
  /** Sorted, distinct. */
  detections: DetectionType[];
}

export interface Scrubber {
  /** `SCRUB_VERSION` and the options, for the record: enough to scrub again in the same way. Printable ASCII without quote and backslash. */
  version: string;
  /** Scrubs a JSON value of bounded depth; never changes the one given. */
  value(value: Json): Scrubbed;
  text(text: string): { text: string; detections: DetectionType[] };
}

/** The rules in force, in order of precedence. */
export function rulesFor({ nationalIds, extended }: ScrubOptions): Rule[] {
  return [
    ...(extended ? [secretRule] : []),
    emailRule,
    ibanRule,
    cardRule,
    ...nationalIdRules(nationalIds),
    phoneRule,
    ...(extended ? [networkAddressRule, birthDateRule] : []),
  ];
}

/** Makes a scrubber; costly enough to make once per set of options. */
export function createScrubber(options: ScrubOptions): Scrubber {
  return scrubberOf(rulesFor(options), versionOf(options));
}

function versionOf({ nationalIds, extended }: ScrubOptions): string {
  return `${SCRUB_VERSION}.national-${countriesOf(nationalIds)}.extended-${extended ? 'on' : 'off'}`;
}

function countriesOf(nationalIds: ScrubOptions['nationalIds']): string {
  if (nationalIds === true) return 'all';
  if (nationalIds === false || nationalIds.length === 0) return 'none';
  return [...new Set(nationalIds)].sort().join('-');
}

/** A scrubber by any rules; `createScrubber` is the one to use outside of tests. */
export function scrubberOf(rules: readonly Rule[], version: string): Scrubber {
  return {
    version,
    value(value) {
      const walk = new Walk(rules);
      return {
        value: walk.node(value, null),
        changed: walk.changed,
        detections: [...walk.detections].sort(),
      };
    },
    text(text) {
      const scrubbed = scrubText(text, rules);
      return { text: scrubbed.text, detections: [...scrubbed.detections].sort() };
    },
  };
}

/** One walk through a value, with the keys on the way to the present node. */
class Walk {
  readonly changed: string[] = [];
  readonly detections = new Set<DetectionType>();
  readonly #rules: readonly Rule[];
  readonly #path: (string | number)[] = [];

  constructor(rules: readonly Rule[]) {
    this.#rules = rules;
  }

  node(node: Json, label: LabelClass | null): Json {
    if (typeof node === 'string') return this.#leaf(node, node, label);
    if (typeof node === 'number')
      return isNumberWorthALook(node) ? this.#leaf(node, String(Math.abs(node)), label) : node;
    if (node === null || typeof node !== 'object') return node;
    return Array.isArray(node) ? this.#array(node, label) : this.#object(node);
  }

  #leaf(node: Json, text: string, label: LabelClass | null): Json {
    const scrubbed = this.#text(text, label);
    if (scrubbed === text) return node;
    this.changed.push(pointer(this.#path));
    return scrubbed;
  }

  #text(text: string, label: LabelClass | null): string {
    const scrubbed = scrubText(text, this.#rules, label);
    for (const type of scrubbed.detections) this.detections.add(type);
    return scrubbed.text;
  }

  #array(items: Json[], label: LabelClass | null): Json[] {
    let copy: Json[] | null = null;
    for (const [index, item] of items.entries()) {
      this.#path.push(index);
      const scrubbed = this.node(item, label);
      this.#path.pop();
      if (scrubbed !== item) (copy ??= [...items])[index] = scrubbed;
    }
    return copy ?? items;
  }

  #object(members: JsonObject): JsonObject {
    const names = this.#renamed(members);
    if (names.size > 0) this.changed.push(pointer(this.#path));
    const values = new Map<string, Json>();
    for (const key of Object.keys(members)) {
      const item = members[key] as Json;
      const name = names.get(key) ?? key;
      this.#path.push(name);
      const scrubbed = this.node(item, cachedLabelOf(name));
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

  /** New names for the keys that hold personal data; equal ones are told apart by a number. */
  #renamed(members: JsonObject): ReadonlyMap<string, string> {
    let names: Map<string, string> | null = null;
    for (const key of Object.keys(members)) {
      const scrubbed = this.#text(key, null);
      if (scrubbed === key) continue;
      names ??= new Map();
      const taken = new Set([...Object.keys(members), ...names.values()]);
      let name = scrubbed;
      for (let copy = 2; taken.has(name); copy++) name = `${scrubbed} (${copy})`;
      names.set(key, name);
    }
    return names ?? noNames;
  }
}

const noNames: ReadonlyMap<string, string> = new Map();

/** Whole numbers of eight digits or more can be a card, telephone or id number; the rest and fractions cannot. */
function isNumberWorthALook(value: number): boolean {
  return Number.isSafeInteger(value) && Math.abs(value) >= 1e7;
}

/** RFC 6901. */
function pointer(path: readonly (string | number)[]): string {
  return path
    .map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`)
    .join('');
}

/** Labels of keys met before: callers use few distinct keys, and a caller who does not costs a look each. */
const labelCache = new Map<string, LabelClass | null>();

function cachedLabelOf(key: string): LabelClass | null {
  const cached = labelCache.get(key);
  if (cached !== undefined) return cached;
  if (labelCache.size >= 4096) labelCache.clear();
  const label = labelOf(key);
  labelCache.set(key, label);
  return label;
}
