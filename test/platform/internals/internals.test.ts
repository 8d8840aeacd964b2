// Members of libraries that are private to them: the installed versions have them, and without them the plain way is taken.
import { AsyncLocalStorage } from 'node:async_hooks';
import mongoose from 'mongoose';
import { expect, test } from 'vitest';
import { officialVersion } from '../../../scripts/mongod/official.ts';
import { resolveArchive } from '../../../scripts/mongod/archive.ts';
import { findSessionStorage } from '../../../src/platform/internals/session-storage.ts';

test('Mongoose has its storage of sessions', () => {
  const base = new mongoose.Mongoose({ transactionAsyncLocalStorage: true });
  expect(findSessionStorage({ base })).toBeInstanceOf(AsyncLocalStorage);
});

test('there is no storage of sessions where Mongoose has none', () => {
  expect(findSessionStorage({ base: new mongoose.Mongoose() })).toBeNull();
});

test('mongodb-memory-server names the archive of the official server', async () => {
  const { path, extract } = await resolveArchive(officialVersion, '/nowhere');
  expect(path).toContain(officialVersion);
  expect(extract).toBeTypeOf('function');
});
