// One transaction per mutation, and what must happen only once it is committed.
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Connection } from 'mongoose';

type Callback = () => void;

export interface Transactions {
  /** Runs `work` in a transaction; it may run again when the database asks for it. Nested calls join the outer one. */
  transaction<T>(work: () => Promise<T>): Promise<T>;
  /** Runs `callback` after the commit of the current transaction; at once when there is none. */
  onCommit(callback: Callback): void;
}

/** Transactions of a connection; models join them through Mongoose's async local storage. */
export function createTransactions(connection: Connection): Transactions {
  const pending = new AsyncLocalStorage<Callback[]>();
  return {
    async transaction<T>(work: () => Promise<T>): Promise<T> {
      if (pending.getStore()) return work();
      const callbacks: Callback[] = [];
      const result = await pending.run(callbacks, () =>
        connection.transaction(
          () => {
            callbacks.length = 0;
            return work();
          },
          { readConcern: { level: 'snapshot' }, writeConcern: { w: 'majority', j: true }, readPreference: 'primary' },
        ),
      );
      for (const callback of callbacks) callback();
      return result;
    },
    onCommit(callback) {
      const callbacks = pending.getStore();
      if (callbacks) callbacks.push(callback);
      else callback();
    },
  };
}
