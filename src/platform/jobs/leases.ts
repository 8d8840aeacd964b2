// Leases: locks with an expiry, for work that only one instance may do at a time.
import type { Connection } from 'mongoose';
import { isDuplicateKey } from '../../errors.ts';
import type { Clock } from '../clock.ts';
import { repeatEvery, type Timer } from '../concurrency/timer.ts';
import type { Instances } from './instances.ts';

interface LeaseDocument {
  _id: string;
  holder: string;
  until: Date;
}

export interface Leases {
  /** Takes or renews the lease for `ms`; false when another live instance holds it. */
  acquire(name: string, ms: number): Promise<boolean>;
  /** Runs `work` under the lease, renewing it; false when another instance holds it. The lease then expires by itself, within `ms`. */
  runUnderLease(name: string, ms: number, work: () => Promise<unknown>): Promise<boolean>;
  /** Releases those leases that this instance holds. */
  release(...names: string[]): Promise<void>;
}

interface LeasesDeps {
  connection: Connection;
  clock: Clock;
  /** For renewals. */
  timer: Timer;
  /** The holder is this instance. */
  instances: Pick<Instances, 'id' | 'isGone'>;
}

export function createLeases({ connection, clock, timer, instances }: LeasesDeps): Leases {
  const holder = instances.id;
  const getCollection = () =>
    connection.getClient().db(connection.name).collection<LeaseDocument>('leases');
  async function acquire(name: string, ms: number): Promise<boolean> {
    const now = clock.now();
    try {
      await getCollection().updateOne(
        { _id: name, $or: [{ holder }, { until: { $lte: now } }] },
        { $set: { holder, until: new Date(now.getTime() + ms) } },
        { upsert: true },
      );
      return true;
    } catch (error) {
      // The upsert conflicts with the row of another holder.
      if (isDuplicateKey(error)) return takeOver(name, ms);
      throw error;
    }
  }

  /** Takes the lease of a holder that is gone. */
  async function takeOver(name: string, ms: number): Promise<boolean> {
    const current = await getCollection().findOne({ _id: name });
    if (!current || !(await instances.isGone(current.holder))) return false;
    const until = new Date(clock.now().getTime() + ms);
    const where = { _id: name, holder: current.holder };
    const { modifiedCount } = await getCollection().updateOne(where, { $set: { holder, until } });
    return modifiedCount === 1;
  }

  return {
    acquire,
    async runUnderLease(name, ms, work) {
      if (!(await acquire(name, ms))) return false;
      // A failed renewal is repeated by the next one, before the lease expires.
      const endRenewal = repeatEvery(
        timer,
        ms / 3,
        () => void acquire(name, ms).catch(() => false),
      );
      try {
        await work();
      } finally {
        endRenewal();
      }
      return true;
    },
    async release(...names) {
      await getCollection().deleteMany({ _id: { $in: names }, holder });
    },
  };
}
