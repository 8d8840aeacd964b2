// Witness policies (c2sp.org/tlog-policy): which witnesses must have signed a checkpoint.
import { Unreadable } from '../text.ts';
import { findWitnessTime, type Key, type Note, readKey, WITNESS } from './note.ts';

/** A witness by its key, or a group of names and the number needed of them. */
type Member = { key: Key } | { needed: number; names: string[] };

export interface Policy {
  members: ReadonlyMap<string, Member>;
  /** Null: no witness is needed. */
  quorum: string | null;
}

/** Witnesses and groups. */
const MEMBERS_MAX = 256;
const NONE = 'none';

/** @throws Unreadable with the line that is wrong */
export function readPolicy(text: string): Policy {
  const members = new Map<string, Member>();
  let quorum: string | null | undefined;
  for (const [at, line] of text.split('\n').entries()) {
    const [word, name = '', ...rest] = line.replace(/#.*/, '').trim().split(/\s+/);
    const refuse = (why: string): never => {
      throw new Unreadable(`policy, line ${at + 1}: ${why}`);
    };
    if (word === '' || word === 'log') continue;
    if (word === 'quorum') {
      if (quorum !== undefined) refuse('a second quorum');
      if (rest.length > 0) refuse('a quorum is one name');
      if (name !== NONE && !members.has(name)) refuse(`no witness or group ${name}`);
      quorum = name === NONE ? null : name;
    } else if (word === 'witness' || word === 'group') {
      if (members.has(name)) refuse(`${name} is named twice`);
      if (name === NONE) refuse(`${NONE} stands for no witness`);
      if (members.size === MEMBERS_MAX) refuse(`more than ${MEMBERS_MAX} witnesses and groups`);
      const member = word === 'witness' ? readWitness(rest) : readGroup(rest, members);
      if (member && 'key' in member && hasKey(members, member.key))
        refuse(`${name} has the key of another witness, and a witness counts once`);
      members.set(name, member ?? refuse('malformed'));
    } else refuse(`unknown word ${word}`);
  }
  if (quorum === undefined) throw new Unreadable('the policy names no quorum');
  return { members, quorum };
}

/** A key is one party, under whatever names. */
const hasKey = (members: Policy['members'], { bytes }: Key): boolean =>
  [...members.values()].some((member) => 'key' in member && member.key.bytes.equals(bytes));

function readWitness([vkey = '']: string[]): Member | null {
  const key = readKey(vkey);
  return key.type === WITNESS ? { key } : null;
}

function readGroup([count = '', ...names]: string[], known: ReadonlyMap<string, Member>) {
  const counts: Record<string, number> = { any: 1, all: names.length };
  const needed = counts[count] ?? (/^\d+$/.test(count) ? Number(count) : 0);
  const isGood = needed >= 1 && needed <= names.length && new Set(names).size === names.length;
  return isGood && names.every((name) => known.has(name)) ? { needed, names } : null;
}

/** The times at which the witnesses signed, by name; null: they are too few. */
export function findQuorum({ members, quorum }: Policy, note: Note): Map<string, number> | null {
  const times = new Map<string, number>();
  for (const [name, member] of members) {
    if (!('key' in member)) continue;
    const time = findWitnessTime(note, member.key);
    if (time !== null) times.set(name, time);
  }
  return hasQuorum({ members, quorum }, times) ? times : null;
}

/** Returns whether the witnesses that signed at these times are enough. */
export function hasQuorum(
  { members, quorum }: Policy,
  times: ReadonlyMap<string, number>,
): boolean {
  return quorum === null || listSigners(members, times).has(quorum);
}

/**
 * The signers below each name that has enough of them. Groups name only what stands before them, so each is counted once.
 * A group needs as many different signers as members: one that it reaches twice is still one.
 */
function listSigners(
  members: Policy['members'],
  times: ReadonlyMap<string, number>,
): Map<string, Set<string>> {
  const signers = new Map<string, Set<string>>();
  for (const [name, member] of members)
    if ('key' in member) {
      if (times.has(name)) signers.set(name, new Set([name]));
    } else {
      const below = member.names.flatMap((one) => signers.get(one) ?? []);
      const all = new Set(below.flatMap((one) => [...one]));
      if (Math.min(below.length, all.size) >= member.needed) signers.set(name, all);
    }
  return signers;
}
