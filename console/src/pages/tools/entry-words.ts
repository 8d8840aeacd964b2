// What an entry says, in words; and what of it the form does not show.
import { markInvisible } from '../../parts/text.tsx';
import type { CatalogueEntry } from './tool-queries.ts';

/** Words with commas; none: as it is said. */
export const formatWords = (words: readonly string[], none: string): string =>
  words.length === 0 ? none : markInvisible(words.join(', '));

/** Members that the form does not hold: only an entry without them is edited in it. */
export function listFurther({ match, outside, roles }: CatalogueEntry): string[] {
  return [
    ...Object.entries(match).map(([path, pattern]) => `where ${path} matches ${pattern}`),
    ...(outside === null
      ? []
      : [`outsiders write ${outside.length === 0 ? 'none of it' : outside.join(', ')}`]),
    ...Object.entries(roles).map(([path, role]) => `${path} is its ${role}`),
  ].map(markInvisible);
}
