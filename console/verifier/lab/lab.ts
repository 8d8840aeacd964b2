// The tamper lab: opens a copy of a bundle or of an audit bundle, lists what can be attacked, and attacks it.
import { readTar } from '@assay/verifier';
import { readBlob, readWhole } from '../bytes.ts';
import type { EntryRow, Tampering } from '../protocol.ts';
import {
  type Altered,
  changeCharacter,
  joinBundle,
  listRows,
  type Opened,
  openBundle,
  tamperBundle,
} from './bundle-copy.ts';
import { type LabFile, writeTar } from './tar-writer.ts';

/** A copy in memory. */
export interface Lab {
  rows: EntryRow[];
  alterCopy(tampering: Tampering): { blob: Blob; change: Altered['change'] };
}

const MOST_BYTES = 16 * 1024 * 1024;
const LEDGER = 'ledger.json';

/** Opens a copy; null: it is too large, or no bundle. */
export async function openLab(blob: Blob): Promise<Lab | null> {
  const bytes = await readWhole(blob, MOST_BYTES).catch(() => null);
  if (bytes === null) return null;
  const opened = openBundle(bytes.toString('utf8'));
  if (opened) return createBundleLab(opened);
  const files = await readFiles(new Blob([Uint8Array.from(bytes)])).catch(() => []);
  const ledger = files.find(({ name }) => name === LEDGER);
  const inside = ledger && openBundle(ledger.content.toString('utf8'));
  return inside ? createArchiveLab(files, inside) : null;
}

function createBundleLab(opened: Opened): Lab {
  return {
    rows: listRows(opened),
    alterCopy(tampering) {
      const { bundle, change } = tamperBundle(opened, tampering);
      return { blob: new Blob([joinBundle(bundle)]), change };
    },
  };
}

async function readFiles(blob: Blob): Promise<LabFile[]> {
  const files: LabFile[] = [];
  for await (const { name, body } of readTar(readBlob(blob, () => {}))) {
    const pieces: Buffer[] = [];
    for await (const piece of body) pieces.push(piece);
    files.push({ name, content: Buffer.concat(pieces) });
  }
  return files;
}

/** Its rows are the files around the ledger, then the entries. */
function createArchiveLab(files: readonly LabFile[], ledger: Opened): Lab {
  const around = files.filter(({ name }) => name !== LEDGER);
  const ofFiles = around.map(({ name }) => ({ sequence: null, kind: name, traceId: null }));
  return {
    rows: [...ofFiles, ...listRows(ledger)],
    alterCopy(tampering) {
      const file = around[tampering.at];
      if (file) return changeFile(files, files.indexOf(file), tampering.what);
      const at = tampering.at - around.length;
      const { bundle, change } = tamperBundle(ledger, { ...tampering, at });
      const content = Buffer.from(joinBundle(bundle));
      const altered = files.map((one) => (one.name === LEDGER ? { ...one, content } : one));
      return { blob: toBlob(altered), change };
    },
  };
}

function changeFile(
  files: readonly LabFile[],
  at: number,
  what: Tampering['what'],
): ReturnType<Lab['alterCopy']> {
  const file = files[at] as LabFile;
  const next = files[at + 1];
  const listNames = (list: readonly LabFile[]): string => list.map(({ name }) => name).join(', ');
  if (what === 'remove')
    return { blob: toBlob(files.toSpliced(at, 1)), change: { before: file.name, after: '' } };
  if (what === 'cut') {
    const before = listNames(files.slice(at));
    return { blob: toBlob(files.slice(0, at)), change: { before, after: '' } };
  }
  if (what === 'swap' && next) {
    const change = { before: listNames([file, next]), after: listNames([next, file]) };
    return { blob: toBlob(files.toSpliced(at, 2, next, file)), change };
  }
  const text = file.content.toString('utf8');
  // The signature is changed of what is signed: elsewhere the character may be one without which nothing is read.
  const from = file.name.endsWith('.jws') ? text.lastIndexOf('.') + 1 : 0;
  const { line, ...change } = changeCharacter(text.slice(from));
  const content = Buffer.from(text.slice(0, from) + line);
  return { blob: toBlob(files.with(at, { ...file, content })), change };
}

const toBlob = (files: readonly LabFile[]): Blob => new Blob([Uint8Array.from(writeTar(files))]);
