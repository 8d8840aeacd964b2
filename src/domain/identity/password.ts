// Normalizes passwords, so that keyboards and systems do not matter (NIST SP 800-63B, 3.1.1.2: NFKC).

/** The spelling that is hashed. */
export const normalizePassword = (typed: string): string => typed.normalize('NFKC');

/**
 * The spellings to compare with a stored hash: the normalized one first, then those that earlier versions hashed as
 * typed. For ASCII all are the same.
 */
export function listPasswordSpellings(typed: string): [string, ...string[]] {
  const normal = normalizePassword(typed);
  const others = new Set([typed, typed.normalize('NFC'), typed.normalize('NFD')]);
  others.delete(normal);
  return [normal, ...others];
}
