// Answers nothing from stored rows of logs that were altered: a check, and a Mongoose plugin that makes it of every read.
import type { Query, Schema } from 'mongoose';
import { AppError } from '../../errors.ts';
import { type Checks, hasMembers } from './stored-rows.ts';

/** Makes a read fail as `HASH_CHAIN_BROKEN` when a member that it reads is not what this service writes. */
export function guardRows(schema: Schema, checks: Checks): void {
  schema.post(['find', 'findOne'], function (this: Query<unknown, unknown>, found: unknown) {
    const read = Object.keys((this.projection() as object | undefined) ?? {});
    const members = Object.entries(checks);
    const isWhole = hasMembers(
      Object.fromEntries(members.filter(([name]) => read.length === 0 || read.includes(name))),
    );
    for (const row of [found].flat()) if (row) requireWhole(row, isWhole);
  });
}

/** @throws AppError `HASH_CHAIN_BROKEN` */
export function requireWhole<T>(row: T, isWhole: (row: unknown) => boolean): T {
  if (isWhole(row)) return row;
  throw new AppError('HASH_CHAIN_BROKEN', 'What is stored of the log is not what was sealed');
}
