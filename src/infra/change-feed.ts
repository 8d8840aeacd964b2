// One change stream per instance over the small collections, so that caches on every instance forget what another one changed.
import type { Connection, mongo } from 'mongoose';

/** `organizationId` is null when the change does not tell whose it was: everything may be stale. */
export type Listener = (organizationId: string | null) => void;

export interface ChangeFeed {
  on(collection: string, listener: Listener): void;
  /** False while the stream is broken: caches read through. */
  live(): boolean;
  start(): Promise<void>;
  stop(): Promise<void>;
}

interface Deps {
  connection: Connection;
  log: { warn(details: object, text: string): void };
}

const RESTART_MS = 500;
interface HexId {
  toHexString(): string;
}
type Change = mongo.ChangeStreamDocument<mongo.Document>;

/** The feed watches exactly the collections that something listens to when it starts. */
export function createChangeFeed({ connection, log }: Deps): ChangeFeed {
  const listeners = new Map<string, Listener[]>();
  let stream: mongo.ChangeStream | null = null;
  let live = false;
  let stopped = false;
  let restart: NodeJS.Timeout | undefined;

  const tell = (collection: string, organizationId: string | null): void =>
    listeners.get(collection)?.forEach((listener) => listener(organizationId));

  async function open(): Promise<void> {
    const pipeline = [{ $match: { 'ns.coll': { $in: [...listeners.keys()] } } }];
    stream = connection.getClient().db(connection.name).watch(pipeline, { fullDocument: 'updateLookup' });
    stream.on('change', (change: Change) => {
      const collection = 'ns' in change && 'coll' in change.ns ? change.ns.coll : '';
      tell(collection, ownerOf(collection, change));
    });
    stream.on('error', (error) => {
      live = false;
      log.warn({ err: error }, 'change feed interrupted; caches read through');
      void stream?.close().catch(() => undefined);
      if (!stopped) restart = setTimeout(() => void open().catch(() => undefined), RESTART_MS);
    });
    await opened(stream);
    live = true;
    for (const collection of listeners.keys()) tell(collection, null);
  }

  return {
    on(collection, listener) {
      listeners.set(collection, [...(listeners.get(collection) ?? []), listener]);
    },
    live: () => live,
    start: open,
    async stop() {
      stopped = true;
      live = false;
      clearTimeout(restart);
      await stream?.close();
    },
  };
}

/** The stream sees changes from the first server answer on; `resumeToken` is set then. */
async function opened(stream: mongo.ChangeStream): Promise<void> {
  if (stream.resumeToken) return;
  await new Promise<void>((resolve, reject) => {
    stream.once('resumeTokenChanged', () => resolve());
    stream.once('error', reject);
  });
}

function ownerOf(collection: string, change: Change): string | null {
  const document = 'fullDocument' in change ? change.fullDocument : undefined;
  const owner: unknown = collection === 'organizations' ? document?._id : document?.organizationId;
  return owner != null && typeof (owner as HexId).toHexString === 'function' ? (owner as HexId).toHexString() : null;
}
