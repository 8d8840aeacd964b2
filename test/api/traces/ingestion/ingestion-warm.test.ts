// The database load of ingestion with warm caches: one insert per batch, and no reads.
import mongoose from 'mongoose';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DECISIONS } from '../../../../src/ledger/chains.ts';
import {
  createAgent,
  buildDecision,
  assertOk,
  createOwner,
  type Owner,
} from '../../../setup/personas.ts';
import { createDatabaseUri } from '../../../setup/databases.ts';
import { NO_JOBS, startApp, type TestApp } from '../../../setup/start-app.ts';

/** Collections that the request path could read; reads by consumers and jobs are ignored. */
const READABLE = [
  'workspace_keys',
  'agents',
  'organizations',
  'workspaces',
  'policies',
  'agent_activity',
];

interface Command {
  name: string;
  collection: unknown;
  /** Number of documents of an insert. */
  documents: number;
}

/** Jobs look at the ledger as well; none runs here. */

const name = 'ingestion-warm';
const commands: Command[] = [];
let app: TestApp;
let ada: Owner;
beforeAll(async () => {
  const uri = new URL(createDatabaseUri(name));
  uri.searchParams.set('monitorCommands', 'true');
  app = await startApp({}, { mongoUri: uri.href, jobTimer: NO_JOBS });
  ada = await createOwner(app);
  const client = mongoose.connections.find((connection) => connection.name === name)?.getClient();
  client?.on('commandStarted', ({ commandName, command }) => {
    const documents: unknown = command.documents;
    commands.push({
      name: commandName,
      collection: command[commandName],
      documents: Array.isArray(documents) ? documents.length : 0,
    });
  });
});
afterAll(() => app.stop());

test(
  'a warm instance ingests with one insert per batch and reads nothing',
  { tags: ['long'] },
  async () => {
    const bot = await createAgent(app, ada);
    const post = async () =>
      assertOk(
        await app.call('POST', '/api/v1/traces', { key: bot.key, body: buildDecision(bot.id) }),
      );
    await post();
    await app.instance.consumers.stop();

    commands.length = 0;
    for (let i = 0; i < 5; i++) await post();
    expect(inserted()).toEqual([1, 1, 1, 1, 1]);

    await Promise.all(Array.from({ length: 40 }, post));
    const together = inserted().slice(5);
    expect(together.reduce((sum, documents) => sum + documents, 0)).toBe(40);

    const known = new Set<unknown>([...READABLE, DECISIONS.collection]);
    expect(
      commands.filter(({ name, collection }) => name === 'find' && known.has(collection)),
    ).toEqual([]);
  },
);

/** How many documents each insert into the ledger held. */
function inserted(): number[] {
  const inserts = commands.filter(
    ({ name, collection }) => name === 'insert' && collection === DECISIONS.collection,
  );
  return inserts.map(({ documents }) => documents);
}
