// One spelling of a password, whichever keyboard and system it was typed on (NIST SP 800-63B, 3.1.1.2: NFKC).

/** What is hashed. */
export const normalizePassword = (typed: string): string => typed.normalize('NFKC');

/**
 * What is compared with a stored hash: the one spelling first, then those that earlier versions hashed as they were typed. In ASCII
 * all are the same.
 */
export function passwordSpellings(typed: string): [string, ...string[]] {
  const normal = normalizePassword(typed);
  const others = new Set([typed, typed.normalize('NFC'), typed.normalize('NFD')]);
  others.delete(normal);
  return [normal, ...others];
}
