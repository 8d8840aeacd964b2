// Witness policies (c2sp.org/tlog-policy): where witnesses are, and which of them must have signed a checkpoint.
import { parseVerifierKey, type VerifierKey, WITNESS_KEY } from './signed-note.ts';

/** A witness that checkpoints are sent to. */
export interface Witness {
  name: string;
  key: VerifierKey;
  /** The key as it is written. */
  vkey: string;
  /** Without a trailing slash; null: it is not asked from here. */
  url: string | null;
}

interface Group {
  needed: number;
  names: readonly string[];
}

export interface WitnessPolicy {
  witnesses: readonly Witness[];
  groups: ReadonlyMap<string, Group>;
  /** A witness or group; null: none is needed. */
  quorum: string | null;
  /** As it was read. */
  text: string;
}

/** Bounds of a policy: every witness is asked side by side. */
const WITNESSES_MAX = 32;
const GROUPS_MAX = 64;

interface PolicyParts {
  witnesses: Witness[];
  groups: Map<string, Group>;
  quorum?: string | null;
}

/** Parses a policy, or names the line that is wrong. */
export function parseWitnessPolicy(text: string): WitnessPolicy | { problem: string } {
  const parts: PolicyParts = { witnesses: [], groups: new Map() };
  for (const [at, line] of text.split('\n').entries()) {
    const problem = readLine(line.replace(/#.*/, '').trim().split(/\s+/), parts);
    if (problem !== null) return { problem: `line ${at + 1}: ${problem}` };
  }
  const { witnesses, groups, quorum } = parts;
  return quorum === undefined
    ? { problem: 'it names no quorum' }
    : { witnesses, groups, quorum, text };
}

/** Returns what is wrong with a line; null: nothing. */
function readLine([word = '', name = '', ...rest]: string[], parts: PolicyParts): string | null {
  switch (word) {
    case '':
    case 'log':
      return null;
    case 'witness':
      return readWitness(name, rest, parts);
    case 'group':
      return readGroup(name, rest, parts);
    case 'quorum':
      return readQuorum(name, parts);
    default:
      return `${word} is none of log, witness, group, quorum`;
  }
}

function isKnown(name: string, { witnesses, groups }: PolicyParts): boolean {
  return groups.has(name) || witnesses.some((witness) => witness.name === name);
}

function readWitness(name: string, [vkey = '', url]: string[], parts: PolicyParts): string | null {
  const key = parseVerifierKey(vkey);
  if (key?.type !== WITNESS_KEY) return 'the key is no verifier key of a witness (Ed25519)';
  if (isKnown(name, parts)) return `${name} is named twice`;
  if (parts.witnesses.length === WITNESSES_MAX) return `more than ${WITNESSES_MAX} witnesses`;
  if (url !== undefined && !/^https?:\/\//.test(url)) return 'the address is no URL';
  parts.witnesses.push({ name, key, vkey, url: url?.replace(/\/$/, '') ?? null });
  return null;
}

function readGroup(
  name: string,
  [count = '', ...names]: string[],
  parts: PolicyParts,
): string | null {
  const words: Record<string, number> = { any: 1, all: names.length };
  const needed = words[count] ?? Number(count);
  if (isKnown(name, parts)) return `${name} is named twice`;
  if (parts.groups.size === GROUPS_MAX) return `more than ${GROUPS_MAX} groups`;
  const stranger = names.find((member) => !isKnown(member, parts));
  if (stranger !== undefined) return `${stranger} is not named before`;
  if (!Number.isInteger(needed) || needed < 1 || needed > names.length)
    return 'the number needed is none of any, all, or 1 to the number of members';
  parts.groups.set(name, { needed, names });
  return null;
}

function readQuorum(name: string, parts: PolicyParts): string | null {
  if (parts.quorum !== undefined) return 'there are two quorums';
  if (name !== 'none' && !isKnown(name, parts)) return `${name} is not named before`;
  parts.quorum = name === 'none' ? null : name;
  return null;
}

/** Returns whether enough witnesses have signed, given the names of those that have. */
export function hasQuorum(
  { groups, quorum }: Pick<WitnessPolicy, 'groups' | 'quorum'>,
  signed: ReadonlySet<string>,
): boolean {
  if (quorum === null) return true;
  const isSatisfied = (name: string): boolean => {
    const group = groups.get(name);
    // Groups name only what stands before them, so there is no circle.
    return group ? group.names.filter(isSatisfied).length >= group.needed : signed.has(name);
  };
  return isSatisfied(quorum);
}
