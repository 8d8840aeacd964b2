// Starts an app together with its database, for tests that read or change data directly.
import mongoose from 'mongoose';
import type { EncryptedDocument } from '../../src/ledger/contents/contents.ts';
import type { InstanceDeps } from '../../src/instance.ts';
import { assertOk, createOwner, type Owner } from './personas.ts';
import { reserveDatabaseUri, connectDatabase } from './databases.ts';
import { startApp, type TestApp } from './start-app.ts';

export interface Harness {
  app: TestApp;
  /** The database's connection string, for a second instance on it. */
  mongoUri: string;
  db: mongoose.mongo.Db;
  stop(): Promise<void>;
}

export const toObjectId = (hex: string): mongoose.mongo.ObjectId =>
  new mongoose.mongo.ObjectId(hex);

/** `startApp` with a second way to its database. */
export async function startHarness(
  environment: Record<string, string> = {},
  parts: Partial<InstanceDeps> = {},
): Promise<Harness> {
  if (parts.mongoUri !== undefined) return startHarnessAt(parts.mongoUri, environment, parts);
  const mongoUri = reserveDatabaseUri();
  const app = await startApp(environment, { ...parts, mongoUri });
  return { app, mongoUri, db: await connectDatabase(mongoUri), stop: () => app.stop() };
}

/** Starts on a given database, with a connection of the test's own. */
async function startHarnessAt(
  mongoUri: string,
  environment: Record<string, string>,
  parts: Partial<InstanceDeps>,
): Promise<Harness> {
  const app = await startApp(environment, parts);
  const client = await new mongoose.mongo.MongoClient(mongoUri).connect();
  return {
    app,
    mongoUri,
    db: client.db(),
    async stop() {
      await app.stop();
      await client.close();
    },
  };
}

/** A stored entry of the ledger with its values opened. */
export function openEntry<T extends EncryptedDocument & { organizationId?: unknown }>(
  app: TestApp,
  entry: T,
): Promise<T> {
  return app.instance.platform.contents.decryptOne(String(entry.organizationId), entry);
}

/** Creates a user with an own organisation who is also a member of `home`, signed in there. */
export async function createMember(
  { app, db }: Harness,
  home: Owner,
  role: string,
): Promise<Owner> {
  const person = await createOwner(app, role);
  const row = {
    organizationId: toObjectId(home.organizationId),
    userId: toObjectId(person.userId),
  };
  const at = { createdAt: new Date(), updatedAt: new Date() };
  await db
    .collection('memberships')
    .insertOne({ ...row, role, isActive: true, deactivatedBy: null, ...at });
  const { organizationId, workspaceId } = home;
  const answer = await app.call('POST', '/api/v1/auth/switch-org', {
    token: person.token,
    body: { organizationId },
  });
  return { ...person, token: assertOk(answer).body.data.token, organizationId, workspaceId };
}

/** Marks a user's mailbox as verified, as by the link and the password. */
export async function verifyMailbox<P extends Pick<Owner, 'userId'>>(
  { db }: Harness,
  who: P,
): Promise<P> {
  const change = { $set: { emailVerifiedAt: new Date() } };
  await db.collection('users').updateOne({ _id: toObjectId(who.userId) }, change);
  return who;
}

/** Changes a membership directly in the database. */
export async function changeMembership({ db }: Harness, who: Owner, change: object): Promise<void> {
  const where = { organizationId: toObjectId(who.organizationId), userId: toObjectId(who.userId) };
  const { matchedCount } = await db.collection('memberships').updateOne(where, { $set: change });
  if (matchedCount !== 1) throw new Error('no such membership');
}

/** Audit entries, newest first; `query` filters them. */
export async function listAuditEntries(
  app: TestApp,
  { token }: Owner,
  query = '',
): Promise<Record<string, unknown>[]> {
  return assertOk(await app.call('GET', `/api/v1/audit?${query}`, { token })).body.data.entries;
}
