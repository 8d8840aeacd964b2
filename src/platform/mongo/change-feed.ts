// One change stream per instance over the small collections, so that caches on every instance forget what another one changed.
import { setTimeout as pause } from 'node:timers/promises';
import type { Connection, mongo } from 'mongoose';

/** `organizationId` is null when the change does not tell whose it was: everything may be stale. */
export type Listener = (organizationId: string | null) => void;

export interface ChangeFeed {
  on(collection: string, listener: Listener): void;
  /** False while the stream is broken or silent: caches read through. */
  live(): boolean;
  /** From now on; caches read through until the database has answered. */
  start(): void;
  stop(): Promise<void>;
}

interface Deps {
  connection: Connection;
  log: { warn(details: object, text: string): void };
}

const RESTART_MS = 500;
/** The database speaks at least once a second, if only to say that nothing changed. */
const SILENCE_MS = 5000;
interface HexId {
  toHexString(): string;
}
type Change = mongo.ChangeStreamDocument<mongo.Document>;

/** The feed watches exactly the collections that something listens to when it starts. */
export function createChangeFeed({ connection, log }: Deps): ChangeFeed {
  const listeners = new Map<string, Listener[]>();
  const stopping = new AbortController();
  let stream: mongo.ChangeStream | null = null;
  let following: Promise<void> = Promise.resolve();
  let heardAt = -Infinity;

  const live = (): boolean => performance.now() - heardAt < SILENCE_MS;
  const tell = (collection: string, organizationId: string | null): void =>
    listeners.get(collection)?.forEach((listener) => listener(organizationId));

  /** After silence everything may be stale. */
  function heard(): void {
    if (!live()) for (const collection of listeners.keys()) tell(collection, null);
    heardAt = performance.now();
  }

  /** Follows one stream to its end; the driver resumes by itself what can be resumed. */
  async function follow(): Promise<void> {
    const pipeline = [{ $match: { 'ns.coll': { $in: [...listeners.keys()] } } }];
    stream = connection
      .getClient()
      .db(connection.name)
      .watch(pipeline, { fullDocument: 'updateLookup' });
    stream.on('resumeTokenChanged', heard);
    for await (const change of stream as AsyncIterable<Change>) {
      const collection = 'ns' in change && 'coll' in change.ns ? change.ns.coll : '';
      tell(collection, ownerOf(collection, change));
    }
  }

  async function keepFollowing(): Promise<void> {
    while (!stopping.signal.aborted) {
      const error: unknown = await follow().catch((reason: unknown) => reason);
      heardAt = -Infinity;
      if (stopping.signal.aborted) return;
      log.warn({ err: error }, 'change feed interrupted; caches read through');
      await pause(RESTART_MS, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  }

  return {
    on(collection, listener) {
      listeners.set(collection, [...(listeners.get(collection) ?? []), listener]);
    },
    live,
    start() {
      following = keepFollowing();
    },
    async stop() {
      stopping.abort();
      heardAt = -Infinity;
      await stream?.close();
      await following;
    },
  };
}

function ownerOf(collection: string, change: Change): string | null {
  const document = 'fullDocument' in change ? change.fullDocument : undefined;
  const owner: unknown = collection === 'organizations' ? document?._id : document?.organizationId;
  return owner != null && typeof (owner as HexId).toHexString === 'function'
    ? (owner as HexId).toHexString()
    : null;
}
