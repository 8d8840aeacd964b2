// Which instances are alive: each writes a heartbeat, and what one that is gone has left behind is taken over.
import type { Connection } from 'mongoose';
import type { Clock } from '../clock.ts';

interface InstanceDocument {
  _id: string;
  until: Date;
}

export interface Instances {
  /** Of this one. */
  id: string;
  /** Writes the first heartbeat, and further ones until `end`. */
  begin(): Promise<void>;
  /** From now on this instance counts as gone. */
  end(): Promise<void>;
  /** Whether the instance has had heartbeats and has none any more; false for an unknown one. */
  isGone(id: string): Promise<boolean>;
}

/** After so long without a heartbeat an instance is gone. */
const HEARTBEAT_MS = 30_000;
/** How long one that is gone is remembered. */
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
      // One that fails is repeated by the next, before the instance counts as gone.
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
