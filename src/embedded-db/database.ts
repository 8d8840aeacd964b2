// The database an instance runs on: the one that the configuration names, or an embedded one in the data folder.
import { startEmbedded } from './embedded-mongod.ts';
import { findMongod, type MongodLookup } from './mongod-binary.ts';

export interface DatabaseOptions extends Pick<MongodLookup, 'binary' | 'env' | 'log'> {
  /** Connection string of a database of one's own; absent: an embedded one is started. */
  uri: string | undefined;
  dataDir: string;
  /** Called with the reason when the embedded database ends without having been stopped. */
  onLost: (reason: string) => void;
}

export interface Database {
  uri: string;
  /** Stops what was started; a database of one's own is left alone. */
  stop(): Promise<void>;
}

/** @throws Error with a readable message: no mongod was found, or it could not be started on the data folder. */
export async function openDatabase({
  uri,
  dataDir,
  onLost,
  ...lookup
}: DatabaseOptions): Promise<Database> {
  if (uri !== undefined) return { uri, stop: () => Promise.resolve() };
  return startEmbedded({ dataDir, binary: await findMongod(lookup), log: lookup.log, onLost });
}
