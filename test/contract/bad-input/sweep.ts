// `test` with a sweep: replaces every input of an operation by bad values; nothing breaks and nothing is half-written.
import { expect } from 'vitest';
import { computeChainHash, formatChainTime } from '../../../src/domain/record/chain.ts';
import { AUDIT, type Chain, DECISIONS } from '../../../src/ledger/chains.ts';
import type { Answer } from '../../setup/start-app.ts';
import { findFault } from '../answers.ts';
import { access, examples, refusedWith } from '../examples/all.ts';
import { mounted } from '../mounted.ts';
import type { Sample } from '../examples/example.ts';
import { test as base } from '../fixtures.ts';
import { selectCredentials, sendSample, type Credentials } from '../requests.ts';
import { createTenant, signInAgain, type ContractHarness, type Tenant } from '../tenant.ts';
import { countDocuments, computeGrowth, findHalfWritten } from './growth.ts';
import { type Trial, createTrials } from './trials.ts';

/** Deletes its organisation, so it is called in other ones. */
const LAST = 'DELETE /api/v1/organization';
const CONCURRENCY = 8;

export interface Findings {
  /** Status of the request that is served. */
  status: number;
  /** How many collections there are to be half-written. */
  collections: number;
  faults: string[];
  halfWritten: string[];
}

const chooseCredentials = (tenant: Tenant, operation: string): Credentials =>
  access[operation]?.anonymous === 'NO_API_KEY'
    ? { key: tenant.key }
    : selectCredentials(tenant, operation);

/**
 * Whether a request succeeded: a browser's refusal is in the redirect's address, that of a batch in each of its answers.
 * A page for people says in words what it refuses, and writes nothing then.
 */
const isServed = ({ status, headers, body }: Answer): boolean =>
  status < 300
    ? !headers.get('content-type')?.startsWith('text/html') &&
      !body?.data?.results?.every?.(({ success }: { success: boolean }) => !success) &&
      !body?.evaluations?.every?.(({ context }: { context?: { error?: object } }) => context?.error)
    : status < 400 && !/[?&](error|problem)=/.test(headers.get('location') ?? '');

/** Runs the trials a few at a time; answers what was wrong, and how many were served. */
async function runTrials(operation: string, trials: Trial[]) {
  const faults: string[] = [];
  let served = 0;
  const queue = trials.values();
  const runWorker = async (): Promise<void> => {
    // What a span holds is taken as far as it can be read, as its protocol asks.
    const { kind, path } = mounted.get(operation)?.route ?? {};
    // A ping of the Agent Control Standard is answered whatever it holds, and its errors are answers.
    const isLenient = kind === 'otlp' || path === '/acs';
    for (const { name, never, call } of queue) {
      const answer = await call();
      const fault = findFault(operation, answer);
      if (isServed(answer) || answer.body?.code === 'SVC_BLOCKED_BY_POLICY') served += 1;
      if (fault !== null) faults.push(`${name}: ${fault}`);
      else if (never && !isLenient && isServed(answer)) faults.push(`${name}: was served`);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, runWorker));
  return { faults, served };
}

export class Sweep {
  readonly #harness: ContractHarness;
  readonly home: Tenant;
  constructor(harness: ContractHarness, home: Tenant) {
    this.#harness = harness;
    this.home = home;
  }

  /** Sends the example, then one in `stride` of its trials: other ones per operation, so that every kind is tried. */
  async sweepOperation(operation: string, stride: number): Promise<Findings> {
    const { db } = this.#harness;
    const first = await this.#tenantOf(operation);
    const sample = await this.#sampleOf(operation, first);
    const prepared = await countDocuments(db);
    const good = await this.send(operation, { sample }, first);
    const once = computeGrowth(prepared, await countDocuments(db));
    const tenant = await this.#afterSuccess(operation);

    const fresh = await this.#sampleOf(operation, tenant);
    const start = await countDocuments(db);
    const credentials = chooseCredentials(tenant, operation);
    const all = createTrials({ tenant, operation, credentials, sample: fresh });
    const trials = all.filter((_, at) => (at + operation.length) % stride === 0);
    const { faults, served } = await runTrials(operation, trials);
    const growth = computeGrowth(start, await countDocuments(db));
    await this.#restoreSetting(operation, { sample: fresh }, tenant);
    const fault = findFault(operation, good);
    return {
      status: good.status,
      collections: Object.keys(start).length,
      faults: fault === null ? faults : [fault, ...faults],
      halfWritten: findHalfWritten(once, growth, served),
    };
  }

  send(
    operation: string,
    call: { sample: Sample; headers?: Record<string, string> },
    tenant = this.home,
  ): Promise<Answer> {
    return sendSample(tenant, operation, { ...chooseCredentials(tenant, operation), ...call });
  }

  #sampleOf = async (operation: string, tenant: Tenant): Promise<Sample> =>
    (await examples[operation]?.(tenant, tenant.owner.token)) ?? {};

  async #tenantOf(operation: string): Promise<Tenant> {
    return operation === LAST ? createTenant(this.#harness, 'last') : this.home;
  }

  /** Sends the example of a setting once more: any of the trials may have been the last one, and left a strange value. */
  async #restoreSetting(
    operation: string,
    call: { sample: Sample },
    tenant: Tenant,
  ): Promise<void> {
    if (/^(PATCH|PUT) /.test(operation)) await this.send(operation, call, tenant);
  }

  /** Returns a tenant that still exists. */
  async #afterSuccess(operation: string): Promise<Tenant> {
    const { owner } = this.home;
    if (/logout|refresh|revoke/.test(operation))
      owner.token = await signInAgain(this.#harness, owner.email);
    // What is erased afterwards is erased before anything is counted.
    if (operation === LAST) await this.#harness.app.instance.runJobsOnce();
    return this.#tenantOf(operation);
  }

  /** Returns what the whole sweep has left behind. */
  async inspectAftermath() {
    const { app, db } = this.#harness;
    const brokenLinks = [
      ...(await this.#brokenLinks(DECISIONS)),
      ...(await this.#brokenLinks(AUDIT)),
    ];
    await expect.poll(() => db.collection('audit_rows').countDocuments()).toBe(0);
    await app.instance.runJobsOnce();
    const other = await createTenant(this.#harness, 'afterwards');
    const operation = 'POST /api/v1/traces';
    const sample = await this.#sampleOf(operation, other);
    return { brokenLinks, ingestion: (await this.send(operation, { sample }, other)).status };
  }

  /** Links of every organisation's chain that do not fit. */

  async #brokenLinks({ collection, genesis }: Chain): Promise<string[]> {
    const entries = await this.#harness.db
      .collection(collection)
      .find()
      .sort({ organizationId: 1, sequence: 1 })
      .toArray();
    const heads = new Map<string, { sequence: number; chainHash: string }>();
    return entries.flatMap(
      ({ organizationId, sequence, prevHash, payloadDigest, createdAt, chainHash: found }) => {
        const organization = String(organizationId);
        const head = heads.get(organization) ?? { sequence: 0, chainHash: genesis };
        heads.set(organization, { sequence, chainHash: found });
        const link = {
          prevHash: head.chainHash,
          payloadDigest,
          sequence: head.sequence + 1,
          createdAt: formatChainTime(createdAt),
        };
        return prevHash === head.chainHash && found === computeChainHash(link)
          ? []
          : [`${collection} ${organization} ${sequence}`];
      },
    );
  }
}

/** What a sweep finds where all is well. */
export const describeHarmless = (operation: string): object => ({
  status: refusedWith[operation] ?? expect.toSatisfy((status: number) => status < 400),
  collections: expect.toSatisfy((count: number) => count > 5),
  faults: [],
  halfWritten: [],
});

export const test = base.extend('sweep', { scope: 'file' }, async ({ harness }) => {
  const home = await createTenant(harness, 'sweep');
  await harness.db.collection('users').updateMany({}, { $set: { systemRole: 'owner' } });
  return new Sweep(harness, home);
});
