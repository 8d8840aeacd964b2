// Transactions, and callbacks that run after their commit.
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Connection } from 'mongoose';

type Callback = () => void;

const TRANSACTION = {
  readConcern: { level: 'snapshot' },
  writeConcern: { w: 'majority', j: true },
  readPreference: 'primary',
} as const;

export interface Transactions {
  /** Runs `work` in a transaction, again after a transient conflict. Nested calls join the outer transaction. */
  transaction<T>(work: () => Promise<T>): Promise<T>;
  /** Runs `callback` after the commit of the current transaction, at once when there is none. */
  onCommit(callback: Callback): void;
}

/** Transactions under way on all connections, which share Mongoose's one storage. */
let underWay = 0;

/** Transactions of a connection; models join them through Mongoose's async local storage. */
export function createTransactions(connection: Connection): Transactions {
  const pending = new AsyncLocalStorage<Callback[]>();
  const storages = [pending, getSessionStorage(connection)];

  async function runTransaction<T>(callbacks: Callback[], work: () => Promise<T>): Promise<T> {
    underWay += 1;
    try {
      return await pending.run(callbacks, () =>
        connection.transaction(() => {
          callbacks.length = 0;
          return work();
        }, TRANSACTION),
      );
    } finally {
      underWay -= 1;
      // A storage that was used once makes every promise of the process dearer, about 50 us of an ingestion (row ingest/R1), until it
      // is disabled; `run` enables it again.
      if (underWay === 0) for (const storage of storages) storage?.disable();
    }
  }

  return {
    async transaction<T>(work: () => Promise<T>): Promise<T> {
      if (pending.getStore()) return work();
      const callbacks: Callback[] = [];
      const result = await runTransaction(callbacks, work);
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

/** Mongoose's storage of the current session (option `transactionAsyncLocalStorage`), missing in its types. */
function getSessionStorage({ base }: Connection): AsyncLocalStorage<unknown> | undefined {
  return (base as { transactionAsyncLocalStorage?: AsyncLocalStorage<unknown> })
    .transactionAsyncLocalStorage;
}
