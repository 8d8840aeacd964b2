// Mongoose's storage of the current session. Touched: `transactionAsyncLocalStorage` of a Mongoose instance, missing in its types.
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Connection } from 'mongoose';

/** Null: Mongoose keeps the session elsewhere; then its storage stays enabled, which is slower and as right. */
export function findSessionStorage({
  base,
}: Pick<Connection, 'base'>): AsyncLocalStorage<unknown> | null {
  const { transactionAsyncLocalStorage: storage } = base as {
    transactionAsyncLocalStorage?: unknown;
  };
  return storage instanceof AsyncLocalStorage ? storage : null;
}
