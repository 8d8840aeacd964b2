// Migrates entries from before contents were encrypted: encrypts their values and removes the columns that repeated them.
import type { Connection, mongo } from 'mongoose';
import type { CommittedValue } from '../../domain/record/commitments.ts';
import type { KeyStore } from '../../platform/key-store/key-store.ts';
import { findEmptiedColumns } from '../amend/projection.ts';
import { DECISIONS } from '../chains.ts';
import type { Columns } from '../columns.ts';
import type { Stored } from '../entry.ts';
import { EARLIER_COLUMNS, storeEncrypted } from '../entry-updates.ts';
import { MAJORITY } from '../../platform/mongo/concerns.ts';
import { type Contents, createContents, type EncryptDocument } from './contents.ts';

/** Entries to encrypt and write at once. */
const RUN = 500;
/** Sequences from here on have no key. */
const SEQUENCES = 2 ** 32;
const NAME = /^[A-Za-z0-9]+$/;

interface Deps {
  connection: Connection;
  keyStore: KeyStore;
  columns: Columns;
}

/** Encrypts the contents of entries of earlier versions. Idempotent: after a crash it continues where it stopped. */
export async function encryptEarlierContents({
  connection,
  keyStore,
  columns,
}: Deps): Promise<void> {
  const collection = connection
    .getClient()
    .db(connection.name)
    .collection<Stored>(DECISIONS.collection);
  const contents = createContents(keyStore, () => undefined);
  for await (const run of findEarlierEntries(collection)) {
    const encryptable = run.filter(isEncryptable);
    const changed = run.map((entry) => ({
      entry,
      before: entry['sealed'],
      emptied: findLeftoverColumns(entry, columns),
    }));
    const encrypt = await prepareEncryption(contents, encryptable);
    for (const entry of encryptable) encrypt(entry);
    await storeEncrypted(collection, changed);
  }
}

/** Finds the entries of earlier versions, in runs of one organisation each. */
async function* findEarlierEntries(collection: mongo.Collection<Stored>): AsyncGenerator<Stored[]> {
  const inClear = { content: { $exists: false }, sealed: { $nin: [null, {}] } };
  const repeated = EARLIER_COLUMNS.map((name) => ({ [name]: { $exists: true } }));
  const entries = collection
    .find({ $or: [inClear, ...repeated] }, MAJORITY)
    .sort({ organizationId: 1, sequence: 1 });
  let run: Stored[] = [];
  for await (const entry of entries) {
    const isOther = run[0]?.organizationId.equals(entry.organizationId) === false;
    if (isOther || run.length === RUN) {
      yield run;
      run = [];
    }
    run.push(entry as Stored);
  }
  if (run.length > 0) yield run;
}

async function prepareEncryption(
  contents: Contents,
  entries: readonly Stored[],
): Promise<EncryptDocument> {
  const [first] = entries;
  if (!first) return () => undefined;
  const sequences = entries.map(({ sequence }) => sequence);
  return contents.createEncryption(first.organizationId.toHexString(), sequences);
}

/** Finds the columns that an erasure of an earlier version has left behind. */
function findLeftoverColumns(entry: Stored, columns: Columns): string[] {
  const isEarlier = EARLIER_COLUMNS.some((name) => name in entry);
  if (!isEarlier || !(entry['erasedAt'] instanceof Date)) return [];
  const erasable = columns.erasable.filter((path) => !path.includes('.'));
  return [...findEmptiedColumns(entry, columns), ...erasable];
}

/** Returns whether an entry can be encrypted. A tampered entry stays as it is, so that verification finds it. */
function isEncryptable({ sequence, sealed }: Stored): boolean {
  if (!Number.isSafeInteger(sequence) || sequence < 1 || sequence >= SEQUENCES) return false;
  if (typeof sealed !== 'object' || sealed === null) return true;
  return Object.entries(sealed).every(
    ([name, value]) => NAME.test(name) && (value === null || isCommitted(value)),
  );
}

function isCommitted(value: unknown): value is CommittedValue {
  if (typeof value !== 'object' || value === null) return false;
  const { seed, text } = value as Partial<CommittedValue>;
  const isLine = (part: unknown): boolean => typeof part === 'string' && !part.includes('\n');
  return (
    isLine(seed) && isLine(text) && !String(seed).includes(' ') && Object.keys(value).length === 2
  );
}
