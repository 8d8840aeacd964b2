// Proof files (c2sp.org/tlog-proof) as pins: an entry under a checkpoint that the log, and witnesses, have signed.
import { hashBytes } from '../system/primitives.ts';
import type { Pin } from '../pins/pins.ts';
import { Unreadable } from '../text.ts';
import { type Checkpoint, decodeHash, isSignedBy, type Key, type Note } from './note.ts';
import { decodeBase64, readCheckpoint, readNote, readNumber } from './note.ts';
import { findQuorum, type Policy } from './policy.ts';
import { hashLeaf, isIncluded, type Path } from './tree.ts';

export interface ProofFile extends Path {
  extra: Buffer | null;
  note: Note;
  checkpoint: Checkpoint;
}

/** What proofs are held against. */
export interface Trust {
  /** Keys of the logs, each under the log's origin. */
  keys: readonly Key[];
  /** Null: no witness is asked. */
  policy: Policy | null;
}

const HASHES_MAX = 63;

/** @throws Unreadable */
export function readProofFile(text: string): ProofFile {
  const end = text.indexOf('\n\n');
  const [magic, ...lines] = text.slice(0, Math.max(0, end)).split('\n');
  if (magic !== 'c2sp.org/tlog-proof@v1') throw new Unreadable('not a proof file of version 1');
  const extra = lines[0]?.startsWith('extra ') ? decodeBase64(lines.shift()!.slice(6)) : null;
  const [, index] = /^index (\d+)$/.exec(lines.shift() ?? '') ?? [];
  if (index === undefined || lines.length > HASHES_MAX)
    throw new Unreadable('no index, or too long');
  const note = readNote(text.slice(end + 2));
  const hashes = lines.map(decodeHash);
  return {
    extra,
    index: readNumber(index, 'place in a log'),
    hashes,
    note,
    checkpoint: readCheckpoint(note),
  };
}

/** Returns whether one of the keys, under the name of the log, has signed the checkpoint. */
export function isOfLog(
  { note, checkpoint }: Pick<ProofFile, 'note' | 'checkpoint'>,
  keys: Trust['keys'],
) {
  return keys.some((key) => key.name === checkpoint.origin && isSignedBy(note, key));
}

/** Returns whether the chain hash is at the proof's place. */
export function isProven({ index, hashes, checkpoint }: ProofFile, chainHash: string): boolean {
  return isIncluded(hashLeaf(Buffer.from(chainHash, 'hex')), { index, hashes }, checkpoint);
}

/** Returns whether a proof of the heads log is about this checkpoint. */
function isAbout(heads: ProofFile, { note, checkpoint }: ProofFile): boolean {
  const leaf = hashLeaf(Buffer.concat([hashBytes(checkpoint.origin), hashBytes(note.text)]));
  return isIncluded(leaf, heads, heads.checkpoint);
}

/** The checkpoints that a proof of an entry rests on: that of its log, and those of the heads log that have it. */
export function listNotes(file: ProofFile, files: readonly ProofFile[]): Note[] {
  const heads = files.filter((one) => one.extra !== null && isAbout(one, file));
  return [file, ...heads].map(({ note }) => note);
}

/** An entry that a log vouches for. */
export interface LogPin {
  pin: Pin;
  origin: string;
  size: number;
  /** The witnesses and their times in seconds. */
  witnesses: ReadonlyMap<string, number>;
  /** The texts of the checkpoints that it rests on: of the log, and of the heads log. */
  texts: readonly string[];
}

/** Makes pins of the proofs of entries; those in the heads log show that witnesses have seen them. @throws Unreadable */
export function makeLogPins(files: readonly ProofFile[], { keys, policy }: Trust): LogPin[] {
  for (const file of files)
    if (!isOfLog(file, keys))
      throw new Unreadable(`no key given has signed the checkpoint of ${file.checkpoint.origin}`);
  return files
    .filter(({ extra }) => extra === null)
    .map((file) => {
      const { index, checkpoint } = file;
      const notes = listNotes(file, files);
      const quorums = policy
        ? notes.map((note) => findQuorum(policy, note))
        : [new Map<string, number>()];
      const witnesses = quorums.find((found) => found !== null);
      if (!witnesses) throw new Unreadable('too few witnesses of the policy have signed');
      const pin: Pin = {
        sequence: index + 1,
        chainHash: '',
        traceId: null,
        salt: null,
        createdAt: null,
        isHash: (chainHash) => isProven(file, chainHash),
      };
      const { origin, size } = checkpoint;
      return { pin, origin, size, witnesses, texts: notes.map(({ text }) => text) };
    });
}
