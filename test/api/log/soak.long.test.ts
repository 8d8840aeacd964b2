// Everything that grows and everything that checks it, side by side: nothing honest is accused, and nothing answers 500.
// @module-tag long
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { makePinsOfTexts, readTrust, verifyBytes } from '@assay/verifier';
import { formatVerifierKey } from '@assay/tlog';
import { useFixture, useHarness } from '../../setup/fixtures.ts';
import {
  buildDecision,
  createAgent,
  createOwner,
  createWorkspaceKey,
  type Owner,
} from '../../setup/personas.ts';
import { type Answer, startApp, type TestApp } from '../../setup/start-app.ts';
import { readLogKey } from './log-steps.ts';
import { startWitness, type TestWitness } from './witness-server.ts';
import { checkHeads } from '../../../src/evidence/log/signing/heads-check.service.ts';

/** `ASSAY_SOAK_SECONDS=600` runs for ten minutes. */
const SECONDS = Number(process.env.ASSAY_SOAK_SECONDS ?? 40);
const RESTART_MS = 6000;
const ANSWERS_MAX = 500;

const witnesses = useFixture<{ all: TestWitness[]; policy: string; file: string }>(
  async () => {
    const all = [await startWitness('first'), await startWitness('second')];
    const lines = all.map(({ name, vkey, url }) => `witness ${name} ${vkey} ${url}\n`);
    const policy = `${lines.join('')}group one any first second\nquorum one\n`;
    const file = join(mkdtempSync(join(tmpdir(), 'assay-soak-')), 'policy');
    writeFileSync(file, policy);
    return { all, policy, file };
  },
  async ({ all, file }) => {
    rmSync(file);
    await Promise.all(all.map((witness) => witness.stop()));
  },
);
const createSettings = () => ({
  ASSAY_LOG: 'on',
  ASSAY_LOG_SEAL_SECONDS: '1',
  ASSAY_LOG_MMD_SECONDS: '3600',
  ASSAY_WITNESS_POLICY: witnesses.file,
  ASSAY_OUTBOUND_ALLOW: '127.0.0.1',
  DEFAULT_PLAN: 'enterprise',
});
const harness = useHarness(createSettings);

interface Poster {
  owner: Owner;
  key: string;
  agentId: string;
  /** Answers with promises. */
  answers: Answer['body'][];
}

const pick = <T>(all: readonly T[]): T | undefined => all[Math.floor(Math.random() * all.length)];
/** Answers that a busy or restarting server may give. */
const BUSY = [429, 503];

/** What goes on side by side, on one instance that stays and one that is restarted. */
class Soak {
  readonly accusations: string[] = [];
  readonly done: Record<string, number> = {};
  readonly #posters: readonly Poster[];
  #second: TestApp | null = null;

  constructor(posters: readonly Poster[]) {
    this.#posters = posters;
  }

  /** Calls an instance; null: it was busy, or stopped. */
  async call(method: string, path: string, more: object): Promise<Answer | null> {
    const app = Math.random() < 0.5 ? harness.app : (this.#second ?? harness.app);
    const answer = await app.call(method, path, more).catch(() => null);
    if (!answer || BUSY.includes(answer.status)) return null;
    if (answer.status >= 500)
      this.accusations.push(`${method} ${path}: ${answer.status} ${answer.text}`);
    return answer;
  }

  get({ owner }: Poster, path: string): Promise<Answer | null> {
    return this.call('GET', `/api/v1${path}`, { token: owner.token });
  }

  count(what: string): void {
    this.done[what] = (this.done[what] ?? 0) + 1;
  }

  async post({ key, agentId, answers }: Poster): Promise<void> {
    const posted = await this.call('POST', '/api/v1/traces', { key, body: buildDecision(agentId) });
    if (posted?.status !== 201) return;
    this.count('posted');
    if (posted.body.data.hashChain.promise !== null) answers.push(posted.body);
    if (answers.length > ANSWERS_MAX) answers.shift();
  }

  async erase({ owner, answers }: Poster): Promise<void> {
    const traceId = pick(answers)?.data.traceId;
    if (traceId === undefined) return;
    const send = (path: string, body: object) =>
      this.call('POST', `/api/v1/erasure/${path}`, { token: owner.token, body });
    const known = await send('acknowledge', { traceIds: [traceId], reason: 'a person asked' });
    if (!known || known.status >= 300) return;
    const { acknowledgementId, impactDigest } = known.body.data;
    const erased = await send('execute', { acknowledgementId, impactDigest });
    if (erased && erased.status < 300) this.count('erased');
  }

  async verify(poster: Poster): Promise<void> {
    const { token } = poster.owner;
    const chain = await this.call('POST', '/api/v1/hash-chain/verify', { token });
    const audit = await this.get(poster, '/audit/verify');
    for (const answer of [chain, audit]) {
      if (answer?.status !== 200) continue;
      this.count('verified');
      const { verified, brokenDetail, error } = answer.body.data;
      if (!verified) this.accusations.push(`verification: ${brokenDetail ?? error}`);
    }
    const broken = await checkHeads(harness.app.instance.platform);
    if (broken) this.accusations.push(`heads log: ${JSON.stringify(broken)}`);
  }

  async checkPromise({ owner, answers }: Poster): Promise<void> {
    const body = pick(answers)?.data.hashChain;
    if (!body) return;
    const { token } = owner;
    const checked = await this.call('POST', '/api/v1/hash-chain/promise/check', { token, body });
    if (checked?.status !== 200) return;
    this.count('promises checked');
    const { verdict, reason } = checked.body.data;
    if (verdict === 'broken') this.accusations.push(`promise: ${reason}`);
  }

  /** Fetches what an auditor does, in the order of the guide, and verifies it without the server. */
  async verifyOffline(poster: Poster): Promise<void> {
    const anchor = pick(
      (await this.get(poster, '/hash-chain/anchors?limit=5'))?.body.data ?? [],
    ) as { anchorId: string; origin: string; treeSize: number } | undefined;
    if (!anchor) return;
    const at = `/hash-chain/anchors/${anchor.anchorId}`;
    const proof = await this.get(poster, `${at}/tlog-proof?sequence=${anchor.treeSize}`);
    const inHeads = await this.get(poster, `${at}/tlog-proof`);
    const heads = await this.get(poster, '/hash-chain/heads');
    const range = `fromSequence=1&toSequence=${anchor.treeSize}`;
    const bundle = await this.get(poster, `/hash-chain/bundle?${range}`);
    if ([proof, inHeads, heads, bundle].some((answer) => answer?.status !== 200)) return;
    const logKey = formatVerifierKey(await readLogKey(harness.app, anchor.origin));
    const { body } = await harness.app.call('GET', '/.well-known/assay-log');
    const texts = {
      proofs: [proof!.text, inHeads!.text],
      checkpoints: [],
      policy: witnesses.policy,
      logKeys: [logKey, body.heads[0]],
      promiseKeys: [],
    };
    async function* pieces() {
      yield await Promise.resolve(Buffer.from(bundle!.text));
    }
    const report = await verifyBytes(pieces(), {
      pins: makePinsOfTexts(texts).map(({ pin }) => pin),
      keys: [],
      heads: { texts: [heads!.text], trust: readTrust(texts) },
    });
    this.count('bundles verified offline');
    if (report.verdict !== 'intact')
      this.accusations.push(`offline: ${report.verdict} ${JSON.stringify(report.problems)}`);
  }

  /** Restarts the second instance, and lets a witness be away for a while. */
  async disturb(): Promise<void> {
    const stopped = this.#second;
    this.#second = null;
    await stopped?.stop();
    this.#second = await startApp(createSettings(), { mongoUri: harness.mongoUri });
    this.count('restarted');
    const witness = pick(witnesses.all)!;
    witness.mode = pick(['down', 'slow', 'wrong signature', '422'] as const)!;
    await sleep(RESTART_MS / 2);
    witness.mode = 'up';
    await sleep(RESTART_MS / 2);
  }

  async run(): Promise<void> {
    const end = performance.now() + SECONDS * 1000;
    const repeat = async (work: () => Promise<void>, pauseMs = 0) => {
      for (; performance.now() < end; await sleep(pauseMs)) await work();
    };
    const among = (work: (poster: Poster) => Promise<void>) => () => work(pick(this.#posters)!);
    await Promise.all([
      repeat(among((poster) => this.post(poster))),
      repeat(
        among((poster) => this.post(poster)),
        10,
      ),
      repeat(
        among((poster) => this.erase(poster)),
        300,
      ),
      repeat(
        among((poster) => this.verify(poster)),
        100,
      ),
      repeat(among((poster) => this.checkPromise(poster))),
      repeat(among((poster) => this.checkPromise(poster))),
      repeat(
        among((poster) => this.verifyOffline(poster)),
        50,
      ),
      repeat(() => this.disturb()),
    ]);
    await (this.#second as TestApp | null)?.stop();
  }
}

it(
  `for ${SECONDS} s nothing is accused while all of it grows and is checked`,
  { timeout: (SECONDS + 120) * 1000 },
  async () => {
    const posters = await Promise.all(
      ['Ada', 'Bob'].map(async (name): Promise<Poster> => {
        const owner = await createOwner(harness.app, name);
        const agent = await createAgent(harness.app, owner);
        const { key } = await createWorkspaceKey(harness.app, owner);
        return { owner, key, agentId: agent.id, answers: [] };
      }),
    );
    const soak = new Soak(posters);
    await soak.run();
    console.log(JSON.stringify(soak.done));
    expect(soak.accusations).toEqual([]);
    expect(
      await harness.db
        .collection('logs')
        .find({ frozen: { $ne: null } })
        .toArray(),
    ).toEqual([]);
    for (const what of ['posted', 'erased', 'verified', 'promises checked', 'restarted'])
      expect(soak.done[what], what).toBeGreaterThan(0);
    expect(soak.done['bundles verified offline']).toBeGreaterThan(0);
  },
);
