// One change stream per instance, which invalidates its caches after changes by any instance.
import { setTimeout as pause } from 'node:timers/promises';
import type { Connection, mongo } from 'mongoose';

/** `organizationId` is null when the change names none: everything may be stale. */
export type Listener = (organizationId: string | null) => void;

export interface ChangeFeed {
  subscribe(collection: string, listener: Listener): void;
  /** False while the stream is interrupted or silent: caches read through. */
  isLive(): boolean;
  /** Opens the stream; caches read through until the database has answered. */
  start(): void;
  stop(): Promise<void>;
}

const RESTART_MS = 500;
/** The database sends a resume token at least once a second, even when nothing changes. */
const MAX_SILENCE_MS = 5000;

interface HexId {
  toHexString(): string;
}
type Change = mongo.ChangeStreamDocument<mongo.Document>;

/** The feed watches the collections that have a listener when it starts. */
export function createChangeFeed({
  connection,
  log,
}: {
  connection: Connection;
  log: { warn(details: object, text: string): void };
}): ChangeFeed {
  const listeners = new Map<string, Listener[]>();
  const stopping = new AbortController();
  let stream: mongo.ChangeStream | null = null;
  let lastSeen = -Infinity;

  const isLive = (): boolean => performance.now() - lastSeen < MAX_SILENCE_MS;
  const notify = (collection: string, organizationId: string | null): void =>
    listeners.get(collection)?.forEach((listener) => listener(organizationId));

  /** Invalidates everything after a silence. A stream that is being closed may still report something. */
  function markAlive(): void {
    if (stopping.signal.aborted) return;
    if (!isLive()) for (const collection of listeners.keys()) notify(collection, null);
    lastSeen = performance.now();
  }

  /** Follows one stream until it fails for good; the driver resumes after transient errors. */
  async function follow(): Promise<void> {
    // The database filters by these names, so changes of other collections, such as the ledger, are never sent.
    const pipeline = [{ $match: { 'ns.coll': { $in: [...listeners.keys()] } } }];
    stream = connection
      .getClient()
      .db(connection.name)
      .watch(pipeline, { fullDocument: 'updateLookup' });
    stream.on('resumeTokenChanged', markAlive);
    for await (const change of stream as AsyncIterable<Change>) {
      const collection = 'ns' in change && 'coll' in change.ns ? change.ns.coll : '';
      notify(collection, extractOrganizationId(collection, change));
    }
  }

  async function keepFollowing(): Promise<void> {
    while (!stopping.signal.aborted) {
      const error: unknown = await follow().catch((reason: unknown) => reason);
      lastSeen = -Infinity;
      if (stopping.signal.aborted) return;
      log.warn({ err: error }, 'change feed interrupted; caches read through');
      await pause(RESTART_MS, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  }

  return {
    subscribe(collection, listener) {
      listeners.set(collection, [...(listeners.get(collection) ?? []), listener]);
    },
    isLive,
    start() {
      void keepFollowing();
    },
    async stop() {
      stopping.abort();
      lastSeen = -Infinity;
      // The last `getMore` may stay open for another second; it ends with the connection.
      await stream?.close();
    },
  };
}

function extractOrganizationId(collection: string, change: Change): string | null {
  const document = 'fullDocument' in change ? change.fullDocument : undefined;
  const owner: unknown = collection === 'organizations' ? document?._id : document?.organizationId;
  return owner != null && typeof (owner as HexId).toHexString === 'function'
    ? (owner as HexId).toHexString()
    : null;
}
