// One compiled server with two organisations: Ada attacks from a process of her own, Bob does ordinary things.
import { fork, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { mongo } from 'mongoose';
import { inject } from 'vitest';
import { PASSWORD, assertOk } from '../../setup/personas.ts';
import { startMailServer, type MailServer } from '../../setup/providers/mail-server.ts';
import { startReceiver, type Receiver } from '../../setup/providers/receiver.ts';
import { type Answer, type Call, sendRequest } from '../../setup/start-app.ts';
import { App } from '../apps.ts';
import type { AttackOrders, AttackReport, AttackRequest } from './attacker.ts';

const BATCH = 16;
const BEGUN_TIMEOUT_MS = 30_000;

export class Organization {
  readonly url: string;
  readonly email: string;
  readonly token: string;
  readonly id: string;
  /** A workspace key. */
  readonly key: string;

  private constructor(
    url: string,
    parts: { email: string; token: string; id: string; key: string },
  ) {
    this.url = url;
    this.email = parts.email;
    this.token = parts.token;
    this.id = parts.id;
    this.key = parts.key;
  }

  /** Registers an owner, whose mailbox counts as proved. */
  static async register(url: string, name: string, db: mongo.Db): Promise<Organization> {
    const email = `${name.toLowerCase()}@example.com`;
    const body = { name, email, password: PASSWORD, organizationName: `${name} Ltd` };
    const { data } = assertOk(
      await sendRequest(`${url}/api/v1/auth/register`, 'POST', { body }),
    ).body;
    await db.collection('users').updateOne({ email }, { $set: { emailVerifiedAt: new Date() } });
    const { token } = data;
    const keyed = await sendRequest(`${url}/api/v1/auth/keys`, 'POST', {
      token,
      body: { name: 'ingest' },
    });
    const id: string = data.organization._id;
    return new Organization(url, { email, token, id, key: assertOk(keyed).body.data.key });
  }

  /** One successful request as the owner. */
  async call(method: string, path: string, body?: object): Promise<Answer> {
    return assertOk(await this.send(method, path, { token: this.token, body }));
  }

  send(method: string, path: string, call: Call = {}): Promise<Answer> {
    return sendRequest(`${this.url}/api/v1${path}`, method, call);
  }

  async decide(text: string): Promise<string> {
    const answer = await this.send('POST', '/traces', { key: this.key, body: decisionBody(text) });
    return assertOk(answer).body.data.traceId;
  }

  async decideOften(count: number): Promise<void> {
    for (let done = 0; done < count; done += BATCH)
      await Promise.all(Array.from({ length: BATCH }, (_, at) => this.decide(`case ${done + at}`)));
  }

  /** A request of this owner for the attacker's process. */
  request(
    method: string,
    path: string,
    more: { body?: object; leaveMs?: number } = {},
  ): AttackRequest {
    return {
      method,
      path: `/api/v1${path}`,
      headers: { authorization: `Bearer ${this.token}`, 'content-type': 'application/json' },
      ...(more.body && { body: JSON.stringify(more.body) }),
      ...(more.leaveMs !== undefined && { leaveMs: more.leaveMs }),
    };
  }
}

export const decisionBody = (text: string): object => ({
  agentId: 'desk',
  inputContext: { prompt: `Customer asks about ${text}` },
  outputDecision: { action: 'reply', rationale: `Because ${text} asks for it.` },
});

export interface Stage {
  app: App;
  url: string;
  ada: Organization;
  bob: Organization;
  mail: MailServer;
  receiver: Receiver;
  db: mongo.Db;
  close(): Promise<void>;
}

/** `decisions`: how many each organisation has when the tests begin. */
export async function openStage(decisions: { ada: number; bob: number }): Promise<Stage> {
  const [mail, receiver] = await Promise.all([startMailServer(), startReceiver()]);
  const uri = new URL(inject('mongoUri'));
  uri.pathname = `/oneforall${randomBytes(4).toString('hex')}`;
  const limits = [
    'ACCOUNT',
    'ACCOUNT_TOTAL',
    'MAIL',
    'MAIL_TOTAL',
    'INVITATIONS',
    'INVITATIONS_TO_ONE',
    'SIGN_ON',
    'SANDBOX',
  ];
  const app = new App({
    mongoUri: uri.href,
    environment: {
      ...Object.fromEntries(limits.map((name) => [`ASSAY_LIMIT_${name}`, '100000000'])),
      ASSAY_OUTBOUND_ALLOW: receiver.host,
      SMTP_URL: mail.url,
    },
  });
  await app.start();
  const client = await new mongo.MongoClient(uri.href).connect();
  const url = app.url ?? '';
  const ada = await Organization.register(url, 'Ada', client.db());
  const bob = await Organization.register(url, 'Bob', client.db());
  await ada.decideOften(decisions.ada);
  await bob.decideOften(decisions.bob);
  return {
    app,
    url,
    ada,
    bob,
    mail,
    receiver,
    db: client.db(),
    async close() {
      await app.kill();
      await Promise.all([client.close(), mail.close(), receiver.close()]);
    },
  };
}

/** Runs `work` while requests are sent over and over; resolves with its result and what the attacker counted. */
export async function whileAttacked<T>(
  orders: AttackOrders,
  work: () => Promise<T>,
): Promise<{ result: T; report: AttackReport }> {
  const program = fileURLToPath(new URL('attacker.mjs', inject('built')));
  const child = fork(program, [], { execArgv: [] });
  child.send(orders);
  let report: AttackReport = {};
  child.on('message', (message: AttackReport) => (report = message));
  try {
    await begun(child, orders.connections, () => report);
    return { result: await work(), report };
  } finally {
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  }
}

/** Waits until every connection had an answer, or all of them wait for one. */
async function begun(
  child: ChildProcess,
  connections: number,
  read: () => AttackReport,
): Promise<void> {
  const end = performance.now() + BEGUN_TIMEOUT_MS;
  let before = -1;
  for (;;) {
    await once(child, 'message');
    const answers = Object.values(read()).reduce((sum, count) => sum + count, 0);
    if (answers >= connections) return;
    if (performance.now() > end) throw new Error(`the attack has ${answers} answers`);
    // A second without any answer: the attack waits, as does what it occupies.
    if (answers === before) return;
    before = answers;
    await sleep(1000);
  }
}
