// Effects that policies declare, as `refund:{order_id}`: filled from the arguments of an action, and done once.
import type { Json, JsonObject } from '@assay/json';

/** A name, then literals and placeholders: the paths of arguments, with dots between their segments. */
const TEMPLATE =
  /^[a-z][a-z0-9_-]{0,49}:(?:[A-Za-z0-9_./:@-]|\{[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*){0,7}\}){1,150}$/;
const PLACEHOLDER = /\{([^}]+)\}/g;
const VALUE_CHARACTERS = 200;

/** Effects that a claim reserves. An action with more of them is not claimed. */
export const EFFECTS_MAX = 8;

/** Finds the fault of effect and single use in the config of an action; null: none, or neither is set. */
export function findEffectProblem({ effect, singleUse }: JsonObject): string | null {
  if (singleUse !== undefined && typeof singleUse !== 'boolean')
    return 'singleUse must be true or false';
  if (effect === undefined) return null;
  return isTemplate(effect)
    ? null
    : 'effect must be a name, a colon, and arguments in braces, such as refund:{order_id}';
}

/** The effect that the config of an action declares; null: none, or none that is valid. */
export function readConfiguredEffect(config: JsonObject | undefined): string | null {
  const { effect } = config ?? {};
  return isTemplate(effect) ? effect : null;
}

function isTemplate(effect: Json | undefined): effect is string {
  return typeof effect === 'string' && TEMPLATE.test(effect) && effect.includes('{');
}

/**
 * Fills a template from the arguments of an action: `action.arguments` where that is an object, else the action itself.
 * Null when an argument is missing, or is no text, number or boolean. Values are escaped, so that different arguments
 * never give the same effect; those that look equal do, however their characters are composed and whatever invisible
 * ones are among them.
 */
export function fillEffect(template: string, action: Json): string | null {
  const given = readArguments(action);
  let isComplete = true;
  const filled = template.replaceAll(PLACEHOLDER, (_match, path: string) => {
    const value = readScalar(given, path.split('.'));
    isComplete &&= value !== null;
    return value ?? '';
  });
  return isComplete ? filled : null;
}

function readArguments(action: Json): Json {
  const nested = readMember(action, 'arguments');
  return typeof nested === 'object' && nested !== null && !Array.isArray(nested) ? nested : action;
}

function readScalar(value: Json, [name, ...rest]: readonly string[]): string | null {
  if (name !== undefined) return readScalar(readMember(value, name), rest);
  if (value === null || typeof value === 'object') return null;
  const text = foldInvisible(String(value)).trim();
  return text === '' || text.length > VALUE_CHARACTERS ? null : encodeURIComponent(text);
}

/** Controls, and what is shown as nothing: joiners, marks of direction, selectors of variants, soft hyphens. */
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\uFFF9-\uFFFB]|(?!\s)\p{Cc}/gu;
/** Spaces and ends of lines beyond ASCII that NFKC leaves as they are. */
const OTHER_SPACES = /[\u0085\u1680\u2028\u2029]/g;

/** Before they are composed, since characters do not compose across them; after it, since some arise by it. */
function foldInvisible(text: string): string {
  const composed = text.replaceAll(OTHER_SPACES, ' ').replaceAll(INVISIBLE, '').normalize('NFKC');
  return composed.replaceAll(INVISIBLE, '');
}

function readMember(value: Json, name: string): Json {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  return Object.hasOwn(value, name) ? (value[name] ?? null) : null;
}
