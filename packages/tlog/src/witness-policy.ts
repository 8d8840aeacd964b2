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
/** The quorum of a policy that needs no witness. */
const NONE = 'none';

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
      return rest.length > 0 ? 'a quorum is one name' : readQuorum(name, parts);
    default:
      return `${word} is none of log, witness, group, quorum`;
  }
}

function isKnown(name: string, { witnesses, groups }: PolicyParts): boolean {
  return groups.has(name) || witnesses.some((witness) => witness.name === name);
}

/** Returns why nothing may be called so; null: it may. */
function findNameFault(name: string, parts: PolicyParts): string | null {
  if (name === NONE) return `${NONE} is no name: as a quorum it stands for no witness`;
  return isKnown(name, parts) ? `${name} is named twice` : null;
}

function readWitness(name: string, [vkey = '', url]: string[], parts: PolicyParts): string | null {
  const key = parseVerifierKey(vkey);
  if (key?.type !== WITNESS_KEY) return 'the key is no verifier key of a witness (Ed25519)';
  const fault = findNameFault(name, parts);
  if (fault !== null) return fault;
  // A key is one party, whatever it is called.
  const same = parts.witnesses.find((one) => one.key.publicKey.equals(key.publicKey));
  if (same) return `${name} has the key of ${same.name}: a witness counts once`;
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
  const needed = words[count] ?? (/^\d+$/.test(count) ? Number(count) : 0);
  const fault = findNameFault(name, parts);
  if (fault !== null) return fault;
  if (parts.groups.size === GROUPS_MAX) return `more than ${GROUPS_MAX} groups`;
  const stranger = names.find((member) => !isKnown(member, parts));
  if (stranger !== undefined) return `${stranger} is not named before`;
  const again = names.find((member, at) => names.indexOf(member) < at);
  if (again !== undefined) return `${again} is in ${name} twice: a witness counts once`;
  if (!Number.isInteger(needed) || needed < 1 || needed > names.length)
    return 'the number needed is none of any, all, or 1 to the number of members';
  parts.groups.set(name, { needed, names });
  return null;
}

function readQuorum(name: string, parts: PolicyParts): string | null {
  if (parts.quorum !== undefined) return 'there are two quorums';
  if (name !== NONE && !isKnown(name, parts)) return `${name} is not named before`;
  parts.quorum = name === NONE ? null : name;
  return null;
}

/**
 * Returns whether enough witnesses have signed, given the names of those that have. A witness counts once: a group needs
 * as many different witnesses as members, also where it reaches one through several of them.
 */
export function hasQuorum(
  { groups, quorum }: Pick<WitnessPolicy, 'groups' | 'quorum'>,
  signed: ReadonlySet<string>,
): boolean {
  if (quorum === null || signed.has(quorum)) return true;
  /** The witnesses that satisfy each name. */
  const satisfied = new Map([...signed].map((name) => [name, new Set([name])]));
  // Groups name only what stands before them, so there is no circle, and each is looked at once.
  for (const [name, { needed, names }] of groups) {
    const found = names.flatMap((member) => satisfied.get(member) ?? []);
    const witnesses = new Set(found.flatMap((one) => [...one]));
    if (found.length >= needed && witnesses.size >= needed) satisfied.set(name, witnesses);
  }
  return satisfied.has(quorum);
}
