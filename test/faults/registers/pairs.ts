// Two instances with two workers each over one database, which are killed all the time while clients insist on answers.
import { setTimeout as sleep } from 'node:timers/promises';
import { mongo } from 'mongoose';
import { afterAll, beforeAll } from 'vitest';
import { createDatabaseUri } from '../../setup/databases.ts';
import { assertOk, buildDecision, PASSWORD } from '../../setup/personas.ts';
import { type Answer, sendRequest } from '../../setup/start-app.ts';
import { App } from '../apps.ts';

const CLIENTS = 32;

export interface Pair {
  /** Sends to the first instance, which MUST be alive. */
  call(path: string, more: object): Promise<Answer>;
  /** Sends to any instance until one answers: the same key is one decision, however often it is sent. */
  insistOn(path: string, more: object, at: number): Promise<Answer>;
  /** Kills both all the time until the work ends; resolves with what it gives, and how often they were killed. */
  killDuring<T>(work: Promise<T>, kills: number): Promise<{ result: T; killed: number }>;
  db(): mongo.Db;
  /** A new organisation with a key of its own. */
  register(): Promise<{ token: string; key: string }>;
  /** Posts decisions until each is answered, while both are killed; returns the statuses, and how often they were. */
  insist(
    key: string,
    decisions: readonly object[],
    kills: number,
  ): Promise<{ statuses: number[]; killed: number }>;
}

/** Starts the pair before the tests of a file. */
export function usePair(): Pair {
  const uri = createDatabaseUri();
  const apps = [0, 1].map(() => new App({ mongoUri: uri, workers: 2 }));
  let client: mongo.MongoClient;
  beforeAll(async () => {
    client = await mongo.MongoClient.connect(uri);
    await Promise.all(apps.map((app) => app.start()));
  }, 240_000);
  afterAll(async () => {
    await Promise.all(apps.map((app) => app.kill()));
    await client.db().dropDatabase();
    await client.close();
  });

  const send = (app: App, path: string, more: object): Promise<Answer> =>
    sendRequest(`${app.url}/api/v1/${path}`, 'POST', more);

  async function insistOn(path: string, more: object, at: number): Promise<Answer> {
    for (let attempt = at; ; attempt++) {
      const app = apps[attempt % apps.length] as App;
      const answer = app.url ? await send(app, path, more).catch(() => null) : null;
      if (answer && answer.status < 500 && answer.status !== 429) return answer;
      await sleep(20);
    }
  }

  async function killDuring<T>(work: Promise<T>, kills: number) {
    let [killed, isOver] = [0, false];
    const kill = async (app: App): Promise<void> => {
      while (killed < kills && !isOver) {
        await sleep(Math.random() * 600);
        killed++;
        await app.kill();
        await app.start();
      }
    };
    const working = work.finally(() => (isOver = true));
    const [result] = await Promise.all([working, ...apps.map(kill)]);
    return { result, killed };
  }

  return {
    call: (path, more) => send(apps[0] as App, path, more),
    insistOn,
    killDuring,
    db: () => client.db(),
    async register() {
      const person = { name: 'Ada', email: 'ada@example.com', password: PASSWORD };
      const account = { body: { ...person, organizationName: 'Faults' } };
      const { token } = assertOk(await this.call('auth/register', account)).body.data;
      const { key } = assertOk(await this.call('auth/keys', { token, body: { name: 'bot' } })).body
        .data;
      return { token, key };
    },
    async insist(key, decisions, kills) {
      const statuses: number[] = [];
      let next = 0;
      const post = async (): Promise<void> => {
        while (next < decisions.length) {
          const at = next++;
          const body = buildDecision('bot', decisions[at]);
          const headers = { 'idempotency-key': `decision-${at}` };
          statuses.push((await insistOn('traces', { key, headers, body }, at)).status);
        }
      };
      const posting = Promise.all(Array.from({ length: CLIENTS }, post));
      const { killed } = await killDuring(posting, kills);
      return { statuses, killed };
    },
  };
}
