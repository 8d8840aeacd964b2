// JSON that comes from strangers: what the package offers.
export {
  canonicalize,
  canonicalizeObject,
  sortTexts,
  toCanonicalOrder,
  toSortedKeys,
  writeString,
} from './canonical-json.ts';
export { escapePart, formatPointer, parsePointer } from './json-pointer.ts';
export { isJsonObject, type Json, type JsonObject } from './json.ts';
export { MAX_DEPTH, MAX_VALUES, parseSafeItems, parseSafeJson, UnsafeJson } from './safe-json.ts';
export { truncate } from './truncate.ts';
