// What a line says once at most: a later part takes the place of an earlier one, or the line is at fault.
import type { FieldPart, SearchPart, TextPart } from './search-line.ts';

/** The ends of a range that a part says something about, or its field. */
export function listSlots(part: SearchPart): string[] {
  if (part.kind !== 'field') return [];
  const { field, operator } = part;
  if (field !== 'amount' && field !== 'confidence') return [field];
  const ends = {
    ':': ['least', 'most'],
    '>': ['least'],
    '>=': ['least'],
    '<': ['most'],
    '<=': ['most'],
  };
  return ends[operator].map((end) => `${field} ${end}`);
}

const isSameText = (part: SearchPart, { text, isWithout }: TextPart): boolean =>
  part.kind === 'text' && part.text === text && part.isWithout === isWithout;

/** Adds parts to a line, in place of those that say something about the same. */
export function addParts(line: readonly SearchPart[], added: readonly SearchPart[]): SearchPart[] {
  let parts = [...line];
  for (const part of added) {
    const slots = listSlots(part);
    parts = parts.filter(
      (one) =>
        !listSlots(one).some((slot) => slots.includes(slot)) &&
        !(part.kind === 'text' && isSameText(one, part)),
    );
    parts.push(part);
  }
  return parts;
}

/** The parts of a line without those of some fields. */
export const removeFields = (
  line: readonly SearchPart[],
  fields: readonly FieldPart['field'][],
): SearchPart[] => line.filter((part) => part.kind !== 'field' || !fields.includes(part.field));

/** Parts that say a second time what a line says once, each with what to do about it. */
export function findRepetitions(line: readonly SearchPart[]): Map<SearchPart, string> {
  const taken = new Set<string>();
  const found = new Map<SearchPart, string>();
  for (const part of line) {
    const slots = listSlots(part);
    if (part.kind === 'field' && slots.some((slot) => taken.has(slot)))
      found.set(part, `${part.field} stands in the line already: keep one of them`);
    for (const slot of slots) taken.add(slot);
  }
  return found;
}
