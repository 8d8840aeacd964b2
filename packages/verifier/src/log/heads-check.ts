// Heads files: every checkpoint that was ever signed of a log, and whether the chain of a document agrees with each.
import { hashBytes } from '../system/primitives.ts';
import { Unreadable } from '../text.ts';
import type { Entry } from '../layout.ts';
import { isOfLog, type Trust } from './log-proof.ts';
import { type Checkpoint, decodeBase64, readCheckpoint, readNote } from './note.ts';
import { findQuorum } from './policy.ts';
import { GrowingTree, hashLeaf } from './tree.ts';

/** The files that are given, and what they are held against. */
export interface HeadsQuestion {
  texts: readonly string[];
  trust: Trust;
}

/** How many checkpoints of a log the chain agrees with, and how many are beyond the document. */
export interface CheckedHeads {
  checked: number;
  beyond: number;
}

interface HeadsFile {
  heads: Checkpoint[];
  /** Why not every checkpoint is shown; null: each is. */
  gap: string | null;
}

const LEAF = 'leaf ';
const HEAD = 'head ';
const NEWEST = 'checkpoint ';
const LEAF_BYTES = 64;

const readSigned = (encoded: string) => {
  const note = readNote(decodeBase64(encoded).toString('utf8'));
  return { note, checkpoint: readCheckpoint(note) };
};

/** @throws Unreadable unless the keys given, and enough witnesses, have signed the heads log that the file shows */
function readHeadsFile(text: string, { keys, policy }: Trust): HeadsFile {
  const [magic, origin = '', ...lines] = text.split('\n');
  if (magic !== 'assay-heads/v1' || lines.pop() !== '')
    throw new Unreadable('not a whole heads file of version 1');
  const last = lines.pop() ?? '';
  if (!last.startsWith(NEWEST)) throw new Unreadable('the heads file has no end');
  const newest = readSigned(last.slice(NEWEST.length));
  if (!isOfLog(newest, keys))
    throw new Unreadable(`no key given has signed the checkpoint of ${newest.checkpoint.origin}`);
  if (policy && !findQuorum(policy, newest.note))
    throw new Unreadable('too few witnesses of the policy have signed the heads log');
  const { tree, ...file } = readLeaves(origin, lines, keys);
  const { size, root } = newest.checkpoint;
  if (tree.size !== size || !tree.computeRoot().equals(root))
    throw new Unreadable('the leaves of the heads file are not those that were signed');
  return file;
}

function readLeaves(origin: string, lines: readonly string[], keys: Trust['keys']) {
  const tree = new GrowingTree();
  const heads: Checkpoint[] = [];
  const prefix = hashBytes(origin);
  let gap: string | null = null;
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] as string;
    const data = line.startsWith(LEAF) ? decodeBase64(line.slice(LEAF.length)) : Buffer.alloc(0);
    if (data.length !== LEAF_BYTES) throw new Unreadable('the heads file has a line of no leaf');
    tree.addLeaf(hashLeaf(data));
    if (!data.subarray(0, prefix.length).equals(prefix)) continue;
    if (lines[at + 1]?.startsWith(HEAD) !== true) {
      gap ??= `the checkpoint of ${origin} at leaf ${tree.size - 1} of the heads log is not shown`;
      continue;
    }
    const head = readSigned((lines[++at] as string).slice(HEAD.length));
    if (head.checkpoint.origin !== origin || !isOfLog(head, keys))
      throw new Unreadable(`no key given has signed a checkpoint of ${origin}`);
    if (!data.subarray(prefix.length).equals(hashBytes(head.note.text)))
      throw new Unreadable('a checkpoint of the heads file is not that of its leaf');
    heads.push(head.checkpoint);
  }
  return { tree, heads, gap };
}

/** Checks the chain of one document against every checkpoint of its log. */
export class HeadsCheck {
  private readonly heads = new Map<number, Checkpoint[]>();
  private readonly tree = new GrowingTree();
  private checked = 0;
  private count = 0;
  private gap: string | null = null;

  constructor({ texts, trust }: HeadsQuestion) {
    try {
      for (const text of texts) this.addFile(readHeadsFile(text, trust));
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      this.gap = error.message;
    }
  }

  private addFile({ heads, gap }: HeadsFile): void {
    this.gap ??= gap;
    for (const head of heads) {
      const known = this.heads.get(head.size) ?? [];
      if (known.some(({ root }) => root.equals(head.root))) continue;
      this.heads.set(head.size, [...known, head]);
      this.count++;
    }
  }

  get found(): CheckedHeads {
    return { checked: this.checked, beyond: this.count - this.checked };
  }

  /** Takes the next entry; returns how it contradicts a checkpoint, null while it does not. */
  addEntry({ sequence, chainHash }: Pick<Entry, 'sequence' | 'chainHash'>): string | null {
    if (sequence !== this.tree.size + 1) return null;
    this.tree.addLeaf(hashLeaf(Buffer.from(chainHash, 'hex')));
    const heads = this.heads.get(sequence) ?? [];
    const root = heads.length > 0 ? this.tree.computeRoot() : null;
    const other = heads.find((head) => root?.equals(head.root) !== true);
    if (!other) this.checked += heads.length;
    return other
      ? `the chain up to here is not the one that ${other.origin} has signed a checkpoint of`
      : null;
  }

  /** Says why nothing can be said of the checkpoints; null: each was checked, or is of entries after the document. */
  findGap(last: number | null, head: number): string | null {
    if (this.gap !== null) return this.gap;
    if (last !== null && this.tree.size !== last)
      return 'only a document that begins at sequence 1 can be held against the checkpoints';
    const newest = Math.max(0, ...this.heads.keys());
    return newest > head
      ? `a checkpoint of ${newest} entries was signed, and the chain is said to end at ${head}: its tail was cut, or the document is older`
      : null;
  }
}
