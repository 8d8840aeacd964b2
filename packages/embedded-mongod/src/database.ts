// Opens the database of an instance: the configured one, or an embedded one in the data folder.
import { startEmbedded } from './embedded-mongod.ts';
import { requireFolderNotInUse } from './folder-in-use.ts';
import { findMongod, type MongodLookup } from './mongod-binary.ts';

export interface DatabaseOptions extends Pick<
  MongodLookup,
  'binary' | 'env' | 'log' | 'downloads' | 'cacheDir'
> {
  /** Connection string; undefined: an embedded database is started. */
  uri: string | undefined;
  dataDir: string;
  /** Called with the reason when the embedded database ends unexpectedly. */
  onLost: (reason: string) => void;
}

export interface Database {
  uri: string;
  /** Stops an embedded database; does nothing to a configured one. */
  stop(): Promise<void>;
}

/** @throws Error with a readable message when the data folder is in use, no mongod is found, or it does not start on the data folder */
export async function openDatabase({
  uri,
  dataDir,
  onLost,
  ...lookup
}: DatabaseOptions): Promise<Database> {
  if (uri !== undefined) return { uri, stop: () => Promise.resolve() };
  await requireFolderNotInUse(dataDir);
  return startEmbedded({ dataDir, binary: await findMongod(lookup), log: lookup.log, onLost });
}
