// The list of logs that a witness signs (the `log` lines of c2sp.org/tlog-policy).
import { LOG_KEY, parseVerifierKey, type VerifierKey } from './signed-note.ts';

/** Bound of a list: an operator names each log by hand. */
const LOGS_MAX = 10_000;

/** Parses a list into the keys of each origin, or names the line that is wrong. */
export function parseWitnessedLogs(
  text: string,
): ReadonlyMap<string, VerifierKey[]> | { problem: string } {
  const logs = new Map<string, VerifierKey[]>();
  for (const [at, line] of text.split('\n').entries()) {
    const [word = '', vkey = ''] = line.replace(/#.*/, '').trim().split(/\s+/);
    if (word === '') continue;
    const key = word === 'log' ? parseVerifierKey(vkey) : null;
    if (key?.type !== LOG_KEY) return { problem: `line ${at + 1}: must be \`log VKEY\` (Ed25519)` };
    logs.set(key.name, [...(logs.get(key.name) ?? []), key]);
    if (logs.size > LOGS_MAX) return { problem: `more than ${LOGS_MAX} logs` };
  }
  return logs;
}
