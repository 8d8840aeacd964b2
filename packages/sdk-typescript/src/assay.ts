// The client of an agent: guards functions, resumes held actions, and reads decisions.
import { getContext, type RunContext, runInContext } from './context.ts';
import { createCall, type Mapping, spreadArguments } from './guarding/call.ts';
import { Departure } from './guarding/departure.ts';
import { Blocked, Invalid, type HeldAction } from './errors.ts';
import { Guard, type GuardOptions, type Standing } from './guarding/guard.ts';
import { type CallOptions, HttpClient, type Reply } from './http-client.ts';
import { isObject, type Json, type JsonObject, toJson } from './json.ts';
import { ObservedQueue } from './guarding/observed-queue.ts';
import { OutcomeSender } from './guarding/outcomes.ts';
import { type AssayOptions, readSettings, type Settings } from './options.ts';
import { Service, type Verdict } from './service.ts';

export class Assay {
  readonly #settings: Settings;
  readonly #http: HttpClient;
  readonly #service: Service;
  readonly #observed: ObservedQueue;
  readonly #outcomes: OutcomeSender;
  readonly #departure = new Departure();
  readonly #guard: Guard;
  #agent: Promise<string> | undefined;

  constructor(options: AssayOptions = {}) {
    this.#settings = readSettings(options);
    const { identity, url, agent = '', timeout, fetch } = this.#settings;
    this.#http = new HttpClient({
      ...this.#settings,
      readKey: identity && (() => identity({ url, agent, timeout, fetch })),
    });
    this.#service = new Service(this.#http, this.#settings.url);
    this.#outcomes = new OutcomeSender(this.#service, this.#settings.onError);
    this.#observed = new ObservedQueue(this.#http, this.#settings.onError);
    this.#guard = new Guard({
      settings: this.#settings,
      service: this.#service,
      observed: this.#observed,
      outcomes: this.#outcomes,
      departure: this.#departure,
      findAgent: () => this.#findAgent(),
    });
  }

  /**
   * Wraps a function: each call is asked for, waits where a person decides, and runs at most once for an approval.
   * @throws Blocked, Rejected, Expired, Withdrawn, NotDecided, ActionChanged, AlreadyExecuted, Unavailable, Unauthorised
   *   or Invalid when called; then the function has not run. What the function throws passes through unchanged.
   */
  guard<A extends unknown[], R>(
    tool: string,
    run: (...args: A) => R,
    options: GuardOptions<A, Awaited<R>> = {},
  ): (...args: A) => Promise<Awaited<R>> {
    return this.#guard.wrap(tool, run, options);
  }

  /** What a guarded call does while a person decides, unless its own options say otherwise. */
  get onHold(): 'wait' | 'suspend' {
    return this.#settings.onHold;
  }

  /**
   * Asks for a call without running it, for frameworks that suspend a run before its tools are called.
   * @param options `context` names the run and the call: a guarded call of the same names is the same decision
   * @throws Blocked when a policy forbids it
   */
  askFirst<A extends unknown[]>(
    tool: string,
    args: A,
    options: GuardOptions<A>,
  ): Promise<Standing> {
    return this.#guard.askFirst(tool, args, options);
  }

  /**
   * Carries out an action that was suspended (`Held`), in any process, once a person has approved it.
   * @param run gets the approved arguments, as `guard` would have passed them
   * @param mapping is that of the guard, where it has one: both functions of it; and `used`
   * @throws NotDecided while it is open; otherwise as a guarded call
   */
  async resume<A extends unknown[], R>(
    held: HeldAction | { toJSON(): HeldAction },
    run: (...args: A) => R,
    mapping: Mapping<A> & Pick<GuardOptions<A, Awaited<R>>, 'used'> = {},
  ): Promise<Awaited<R>> {
    const kept = 'toJSON' in held ? held.toJSON() : held;
    const { tool, arguments: given, ...members } = kept.action;
    if (kept.isMapped && !mapping.fromArguments)
      throw new Invalid(`${tool} was guarded with a mapping: give toArguments and fromArguments`);
    const verdict = await this.#service.awaitVerdict(kept.traceId, 0);
    const back = mapping.fromArguments as ((shown: Json) => A) | undefined;
    const args = back ? back(given) : (spreadArguments(given) as A);
    const call = createCall({
      tool,
      run,
      args,
      options: { ...mapping, members } as GuardOptions<A>,
    });
    return (await this.#guard.runApproved(call, kept, verdict)) as Awaited<R>;
  }

  /** That of the guarded call that runs, or of the run around it: with `halts` it aborts once that is halted. */
  get signal(): AbortSignal | undefined {
    return getContext().signal;
  }

  /** Calls `body`; all decisions in it carry the context. */
  run<T>(context: RunContext, body: () => T): T {
    return runInContext(context, body);
  }

  /** Resolves when every outcome and observed decision is stored. @throws AssayError that counts the lost ones */
  async flush(): Promise<void> {
    await this.#outcomes.flush();
    await this.#observed.flush();
  }

  /** Withdraws what waits for a person here, and sends what is left: before the process ends. */
  async close(): Promise<void> {
    await this.#departure.leaveAll();
    await this.flush();
  }

  /** Sends what ran while the service was away. Returns the number sent; the rest stays in the journal. */
  async sendJournal(): Promise<number> {
    const { journal } = this.#settings;
    if (!journal) throw new Invalid('There is no journal');
    return journal.drain(async ({ idempotencyKey, body }) => {
      // What a policy would have blocked is on record as well.
      await this.#service.propose(body, idempotencyKey).catch((error: unknown) => {
        if (!(error instanceof Blocked)) throw error;
      });
    });
  }

  readonly decisions = {
    /**
     * Posts a decision and returns the service's answer; a body without `agentId` is about the client's own agent.
     * @throws Blocked when a policy forbids it
     */
    create: async (
      given: JsonObject,
      idempotencyKey: string = crypto.randomUUID(),
    ): Promise<JsonObject> => {
      const body = 'agentId' in given ? given : { agentId: await this.#findAgent(), ...given };
      return (await this.#service.post(body, idempotencyKey)).data;
    },
    get: async (traceId: string): Promise<JsonObject> => (await this.#service.read(traceId)).data,
    /** Waits for a verdict, at most `ms` milliseconds. */
    wait: (
      traceId: string,
      ms: number = this.#settings.wait,
      signal?: AbortSignal,
    ): Promise<Verdict> => this.#service.awaitVerdict(traceId, ms, signal),
    withdraw: (traceId: string): Promise<boolean> => this.#service.withdraw(traceId),
  };

  /** What people do; the client needs a session token. */
  readonly reviews = {
    list: async (status = 'pending'): Promise<JsonObject[]> => {
      const { data } = await this.#http.send(
        'GET',
        `/api/v1/review-queue?status=${encodeURIComponent(status)}`,
      );
      return (data.items ?? []) as JsonObject[];
    },
    decide: async (id: string, verdict: JsonObject): Promise<JsonObject> =>
      (
        await this.#http.send('POST', `/api/v1/review-queue/${encodeURIComponent(id)}/decision`, {
          body: verdict,
        })
      ).data,
  };

  readonly policy = {
    /** Says what the policies would do with a call, without recording it; needs a session token. */
    check: async (policyId: string, tool: string, args: unknown): Promise<JsonObject> => {
      const trace = { outputDecision: { action: { tool, arguments: toJson(args) } } };
      const path = `/api/v1/policies/${encodeURIComponent(policyId)}/dry-run`;
      return (await this.#http.send('POST', path, { body: { trace } })).data;
    },
  };

  /** Calls any operation of the service, with the client's retries and errors. */
  send(method: string, path: string, options?: CallOptions): Promise<Reply> {
    return this.#http.send(method, path, options);
  }

  #findAgent(): Promise<string> {
    if (this.#settings.agent !== undefined) return Promise.resolve(this.#settings.agent);
    this.#agent ??= this.#readAgent().catch((error: unknown) => {
      this.#agent = undefined;
      throw error;
    });
    return this.#agent;
  }

  async #readAgent(): Promise<string> {
    const { agent } = await this.#service.readKey();
    if (isObject(agent) && typeof agent._id === 'string') return agent._id;
    throw new Invalid('The key belongs to no agent: set `agent`, or ASSAY_AGENT');
  }
}
