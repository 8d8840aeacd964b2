// Heartbeats of instances: an instance without one is gone, and others take over its leases.
import type { Connection } from 'mongoose';
import type { Clock } from '../clock.ts';

interface InstanceDocument {
  _id: string;
  until: Date;
}

export interface Instances {
  /** Id of this instance. */
  id: string;
  /** Writes the first heartbeat, and further ones until `stopHeartbeat`. */
  begin(): Promise<void>;
  /** Marks this instance as gone at once. */
  end(): Promise<void>;
  /** Whether the instance's heartbeats have ended; false for an unknown instance. */
  isGone(id: string): Promise<boolean>;
}

/** An instance is gone after this time without a heartbeat. */
const HEARTBEAT_MS = 30_000;
/** The database keeps the document of a gone instance for this time. */
const REMEMBERED_SECONDS = 24 * 3600;

interface InstancesDeps {
  connection: Connection;
  clock: Clock;
  id: string;
}

export function createInstances({ connection, clock, id }: InstancesDeps): Instances {
  const collection = () =>
    connection.getClient().db(connection.name).collection<InstanceDocument>('instances');
  let timer: NodeJS.Timeout | undefined;

  async function beat(ms = HEARTBEAT_MS): Promise<void> {
    const until = new Date(clock.now().getTime() + ms);
    await collection().updateOne({ _id: id }, { $set: { until } }, { upsert: true });
  }

  return {
    id,
    async begin() {
      const options = { name: 'expiry', expireAfterSeconds: REMEMBERED_SECONDS };
      await collection().createIndex({ until: 1 }, options);
      await beat();
      // A failed heartbeat is repeated by the next one, before the instance counts as gone.
      timer = setInterval(() => void beat().catch(() => undefined), HEARTBEAT_MS / 3).unref();
    },
    async end() {
      clearInterval(timer);
      await beat(0);
    },
    async isGone(other) {
      const found = await collection().findOne({ _id: other });
      return found !== null && found.until <= clock.now();
    },
  };
}
