// Transactions, and callbacks that run after their commit.
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Connection } from 'mongoose';
import { disableWhenIdle } from '../concurrency/idle-storage.ts';
import { TRANSACTION } from './concerns.ts';
import { findSessionStorage } from '../internals/session-storage.ts';

type Callback = () => void;

export interface Transactions {
  /** Runs `work` in a transaction, again after a transient conflict. Nested calls join the outer transaction. */
  transaction<T>(work: () => Promise<T>): Promise<T>;
  /** Runs `callback` after the commit of the current transaction, at once when there is none. */
  onCommit(callback: Callback): void;
}

/** Transactions of a connection; models join them through Mongoose's async local storage. */
export function createTransactions(connection: Connection): Transactions {
  const pending = new AsyncLocalStorage<Callback[]>();
  const session = findSessionStorage(connection);
  const storages = session ? [pending, session] : [pending];

  function runTransaction<T>(callbacks: Callback[], work: () => Promise<T>): Promise<T> {
    return disableWhenIdle(storages, () =>
      pending.run(callbacks, () =>
        connection.transaction(() => {
          callbacks.length = 0;
          return work();
        }, TRANSACTION),
      ),
    );
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
