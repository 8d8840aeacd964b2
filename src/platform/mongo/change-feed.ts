// One change stream per instance, which invalidates its caches after changes by any instance.
import { randomUUID } from 'node:crypto';
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
const PULSES = 'pulses';
const PULSE_MS = 1000;
const PULSE_SECONDS_KEPT = 3600;

interface HexId {
  toHexString(): string;
}
type Change = mongo.ChangeStreamDocument<mongo.Document>;

/**
 * The feed watches the collections that have a listener when it starts.
 *
 * A router of shards shows a change only when every shard has moved past it, which an idle one does every ten seconds,
 * while its resume tokens come each second. There the feed writes a pulse of its own each second, and is as old as the
 * newest pulse that it has seen: what was changed before that pulse was seen before it.
 *
 * `pulses`: whether to; default: where the database is such a router.
 */
export function createChangeFeed({
  connection,
  log,
  pulses,
}: {
  connection: Connection;
  log: { warn(details: object, text: string): void };
  pulses?: boolean;
}): ChangeFeed {
  const listeners = new Map<string, Listener[]>();
  const stopping = new AbortController();
  let stream: mongo.ChangeStream | null = null;
  let lastSeen = -Infinity;

  const isLive = (): boolean => performance.now() - lastSeen < MAX_SILENCE_MS;
  const notify = (collection: string, organizationId: string | null): void =>
    listeners.get(collection)?.forEach((listener) => listener(organizationId));

  const pulse = { id: randomUUID(), count: 0, writtenAt: new Map<number, number>() };
  const getDatabase = (): mongo.Db => connection.getClient().db(connection.name);

  /**
   * Invalidates everything after a silence. A stream that is being closed may still report something.
   * @param asOf when the database was as the stream has shown it
   */
  function markAlive(asOf: number): void {
    if (stopping.signal.aborted) return;
    if (!isLive()) for (const collection of listeners.keys()) notify(collection, null);
    lastSeen = Math.max(lastSeen, asOf);
  }

  function readPulse(change: Change): void {
    if (!('documentKey' in change) || String(change.documentKey._id) !== pulse.id) return;
    const written = 'updateDescription' in change ? change.updateDescription.updatedFields : null;
    const count: unknown = (written ?? ('fullDocument' in change ? change.fullDocument : null))?.[
      'count'
    ];
    const writtenAt = pulse.writtenAt.get(Number(count));
    if (writtenAt === undefined) return;
    for (const earlier of pulse.writtenAt.keys())
      if (earlier <= Number(count)) pulse.writtenAt.delete(earlier);
    markAlive(writtenAt);
  }

  /** Writes pulses until the feed stops; one that cannot be written is one that is not seen. */
  async function keepWritingPulses(): Promise<void> {
    const collection = getDatabase().collection<{ _id: string }>(PULSES);
    const expireAfterSeconds = PULSE_SECONDS_KEPT;
    await collection.createIndex({ at: 1 }, { expireAfterSeconds }).catch(() => undefined);
    while (!stopping.signal.aborted) {
      const count = ++pulse.count;
      pulse.writtenAt.set(count, performance.now());
      pulse.writtenAt.delete(count - MAX_SILENCE_MS / PULSE_MS);
      const update = { $set: { count, at: new Date() } };
      await collection
        .updateOne({ _id: pulse.id }, update, { upsert: true })
        .catch(() => undefined);
      await pause(PULSE_MS, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
    await collection.deleteOne({ _id: pulse.id }).catch(() => undefined);
  }

  async function begin(): Promise<void> {
    while (pulses === undefined && !stopping.signal.aborted) {
      const hello = await getDatabase()
        .command({ hello: 1 })
        .catch(() => null);
      if (hello) pulses = hello['msg'] === 'isdbgrid';
      else await pause(RESTART_MS, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
    if (pulses) {
      log.warn(
        {},
        'a router of shards: set periodicNoopIntervalSecs to 1, so that caches are used',
      );
      void keepWritingPulses();
    }
    await keepFollowing();
  }

  /** Follows one stream until it fails for good; the driver resumes after transient errors. */
  async function follow(): Promise<void> {
    // The database filters by these names, so changes of other collections, such as the ledger, are never sent.
    const pipeline = [{ $match: { 'ns.coll': { $in: [...listeners.keys(), PULSES] } } }];
    stream = getDatabase().watch(pipeline, { fullDocument: 'updateLookup' });
    if (!pulses) stream.on('resumeTokenChanged', () => markAlive(performance.now()));
    for await (const change of stream as AsyncIterable<Change>) {
      const collection = 'ns' in change && 'coll' in change.ns ? change.ns.coll : '';
      if (collection === PULSES) {
        readPulse(change);
        continue;
      }
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
      void begin();
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
