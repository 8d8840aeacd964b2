// Heartbeats of instances: an instance without one is gone, and others take over its leases.
import type { Connection } from 'mongoose';
import type { Clock } from '../clock.ts';
import { repeatEvery, type Timer } from '../concurrency/timer.ts';

interface InstanceDocument {
  _id: string;
  until: Date;
  /** The newest epoch of the key store whose key it has; absent: none. */
  epoch?: number;
}

export interface Instances {
  /** Id of this instance. */
  id: string;
  /** Writes the first heartbeat, and further ones until `stopHeartbeat`. */
  startHeartbeat(): Promise<void>;
  /** Marks this instance as gone at once. */
  stopHeartbeat(): Promise<void>;
  /**
   * Has a listener called when this instance goes on after others took it for gone, with the time of its last heartbeat:
   * what it had under way may still be written.
   */
  onReturn(listener: (since: Date) => Promise<void>): void;
  /** Whether the instance's heartbeats have ended; false for an unknown instance. */
  isGone(id: string): Promise<boolean>;
  /** Notes in the heartbeat that this instance has the keys of the key store up to this epoch. */
  announceEpoch(epoch: number): Promise<void>;
  /** How many living instances do not have the key of this epoch. */
  countWithoutEpoch(epoch: number): Promise<number>;
}

/** An instance is gone after this time without a heartbeat. */
const HEARTBEAT_MS = 30_000;
/** The database keeps the document of a gone instance for this time. */
const REMEMBERED_SECONDS = 24 * 3600;

interface InstancesDeps {
  connection: Connection;
  clock: Clock;
  /** For heartbeats. */
  timer: Timer;
  id: string;
}

export function createInstances({ connection, clock, timer, id }: InstancesDeps): Instances {
  const getCollection = () =>
    connection.getClient().db(connection.name).collection<InstanceDocument>('instances');
  let endHeartbeats = (): void => undefined;
  let handleReturn = (_since: Date): Promise<void> => Promise.resolve();
  let last: { at: Date; elapsed: number } | null = null;

  async function writeHeartbeat(ms = HEARTBEAT_MS): Promise<void> {
    const at = clock.now();
    const elapsed = timer.elapsed();
    if (last && elapsed - last.elapsed > HEARTBEAT_MS) await handleReturn(last.at);
    last = { at, elapsed };
    const until = new Date(at.getTime() + ms);
    await getCollection().updateOne({ _id: id }, { $set: { until } }, { upsert: true });
  }

  return {
    id,
    async startHeartbeat() {
      const options = { name: 'expiry', expireAfterSeconds: REMEMBERED_SECONDS };
      await getCollection().createIndex({ until: 1 }, options);
      await writeHeartbeat();
      // A failed heartbeat is repeated by the next one, before the instance counts as gone.
      endHeartbeats = repeatEvery(
        timer,
        HEARTBEAT_MS / 3,
        () => void writeHeartbeat().catch(() => undefined),
      );
    },
    async stopHeartbeat() {
      endHeartbeats();
      await writeHeartbeat(0);
    },
    onReturn: (listener) => void (handleReturn = listener),
    async isGone(other) {
      const found = await getCollection().findOne({ _id: other });
      return found !== null && found.until <= clock.now();
    },
    async announceEpoch(epoch) {
      await getCollection().updateOne({ _id: id }, { $set: { epoch } }, { upsert: true });
    },
    countWithoutEpoch(epoch) {
      const isBehind = { $or: [{ epoch: { $lt: epoch } }, { epoch: { $exists: false } }] };
      return getCollection().countDocuments({ until: { $gt: clock.now() }, ...isBehind });
    },
  };
}
