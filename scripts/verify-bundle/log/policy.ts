// Witness policies (c2sp.org/tlog-policy): which witnesses must have signed a checkpoint.
import { Unreadable } from '../text.ts';
import { findWitnessTime, type Key, type Note, readKey, WITNESS } from './note.ts';

/** A witness by its key, or a group of names of which so many are needed. */
type Member = { key: Key } | { needed: number; names: string[] };

export interface Policy {
  members: ReadonlyMap<string, Member>;
  /** Null: no witness is needed. */
  quorum: string | null;
}

const GROUPS_MAX = 1000;

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
      if (name !== 'none' && !members.has(name)) refuse(`no witness or group ${name}`);
      quorum = name === 'none' ? null : name;
    } else if (word === 'witness' || word === 'group') {
      if (members.has(name) || members.size > GROUPS_MAX) refuse(`${name} is named twice`);
      const member = word === 'witness' ? readWitness(rest) : readGroup(rest, members);
      members.set(name, member ?? refuse('malformed'));
    } else refuse(`unknown word ${word}`);
  }
  if (quorum === undefined) throw new Unreadable('the policy names no quorum');
  return { members, quorum };
}

function readWitness([vkey = '']: string[]): Member | null {
  const key = readKey(vkey);
  return key.type === WITNESS ? { key } : null;
}

function readGroup([count = '', ...names]: string[], known: ReadonlyMap<string, Member>) {
  const counts: Record<string, number> = { any: 1, all: names.length };
  const needed = counts[count] ?? Number(count);
  const isGood = Number.isInteger(needed) && needed >= 1 && needed <= names.length;
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
  return quorum === null || hasSigned(members, quorum, times) ? times : null;
}

/** Groups name only what stands before them, so there is no circle. */
function hasSigned(
  members: Policy['members'],
  name: string,
  times: ReadonlyMap<string, number>,
): boolean {
  const member = members.get(name);
  if (!member) return false;
  if ('key' in member) return times.has(name);
  return member.names.filter((one) => hasSigned(members, one, times)).length >= member.needed;
}
