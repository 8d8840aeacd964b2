// The settings of a client: options first, then the environment, then what is safe.
import { Invalid } from './errors.ts';
import type { RunContext } from './context.ts';
import type { Journal } from './journal.ts';
import type { Json, JsonObject } from './json.ts';

/** Before the service is reached again: stop, let pass what only reads, or let everything pass. */
export type OnUnavailable = 'block' | 'allow-read-only' | 'allow';

/** What an identity needs to know of the service. */
export interface IdentityService {
  url: string;
  /** The id of the agent. */
  agent: string;
  /** Milliseconds for an exchange. */
  timeout: number;
  fetch: typeof fetch;
}

/** Gives a run token that is valid now: see `assay/identity`. */
export type Identity = (service: IdentityService) => Promise<string>;

/** Knows where values were seen before, by session: `trackOrigins()` of `@assay/sdk/origins`. What it throws is ignored. */
export interface OriginKeeper {
  /** What a decision says of the values of its action. */
  describe(context: RunContext, action: Json): JsonObject;
  /** Notes the result of a decision, or the error that it failed with. */
  addResult(context: RunContext, traceId: string, result: unknown): void;
}

/** A call as a keeper of halts knows it. */
export interface FollowedCall {
  traceId: string;
  context: RunContext;
  settings: Settings;
  /** Reads decisions. */
  service: { read(traceId: string): Promise<{ data: JsonObject }> };
}

/** Hears of halts: `followHalts()` of `@assay/sdk/halts`. */
export interface HaltKeeper {
  /**
   * Returns the context with a signal that aborts as the caller's does, and with `Halted` once the decision is halted.
   * `end` MUST be called.
   */
  follow(call: FollowedCall): { context: RunContext; end: () => void };
}

export interface AssayOptions {
  /** The service's address; else `ASSAY_URL`. */
  url?: string;
  /** An API key; else `ASSAY_KEY`. */
  key?: string;
  /** Instead of a key: how the workload proves what it is. `agent` is then the id of the agent. */
  identity?: Identity;
  /** A session token, for what people do (`reviews`). */
  token?: string;
  /** The agent's id or name; else `ASSAY_AGENT`, else the agent of the key. */
  agent?: string;
  agentVersion?: string;
  /** `enforce` asks and obeys, `observe` posts and never stops, `off` does neither. Default: `enforce`. */
  mode?: 'enforce' | 'observe' | 'off';
  /** Default: `wait`. `suspend` throws `Held`, to be resumed by any process. */
  onHold?: 'wait' | 'suspend';
  /** Milliseconds to wait for a person; `Infinity` is allowed. Default: ten minutes. */
  wait?: number;
  /** What becomes of the request when the wait ends. Default: `withdraw`. */
  onTimeout?: 'withdraw' | 'leave';
  /** Default: `block`. The others need a journal. */
  onUnavailable?: OnUnavailable;
  journal?: Journal;
  /** Says where the values of each action come from: `trackOrigins()` of `@assay/sdk/origins`. */
  origins?: OriginKeeper;
  /** Aborts the signal of what waits or runs once it is halted: `followHalts()` of `@assay/sdk/halts`. */
  halts?: HaltKeeper;
  /** Name and version of the program, as in `shop/1.4`, which its decisions name. */
  client?: string;
  /** Milliseconds for one call with its retries. Default: ten seconds. */
  timeout?: number;
  fetch?: typeof fetch;
  /** Called with what could not be reported after an action was done. */
  onError?: (error: unknown) => void;
}

export type Settings = Required<Omit<AssayOptions, Optional>> & Pick<AssayOptions, Optional>;
type Optional =
  | 'key'
  | 'identity'
  | 'token'
  | 'agent'
  | 'agentVersion'
  | 'journal'
  | 'origins'
  | 'halts'
  | 'client';

/** @throws Invalid for settings that cannot work */
export function readSettings(options: AssayOptions): Settings {
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } };
  const environment = process?.env ?? {};
  const url = options.url ?? environment.ASSAY_URL ?? 'http://127.0.0.1:3000';
  if (!URL.canParse(url)) throw new Invalid(`ASSAY_URL is no address: ${url}`);
  const defaults = {
    mode: 'enforce',
    onHold: 'wait',
    wait: 600_000,
    onTimeout: 'withdraw',
    onUnavailable: 'block',
    timeout: 10_000,
    fetch: (...call: Parameters<typeof fetch>) => globalThis.fetch(...call),
    onError: () => undefined,
  } as const;
  const key = options.key ?? environment.ASSAY_KEY;
  const agent = options.agent ?? environment.ASSAY_AGENT;
  const settings: Settings = {
    ...defaults,
    ...options,
    url: url.replace(/\/+$/, ''),
    ...(key === undefined ? {} : { key }),
    ...(agent === undefined ? {} : { agent }),
  };
  if (settings.identity && !/^[0-9a-f]{24}$/.test(agent ?? ''))
    throw new Invalid('agent: with an identity it is the id of the agent, 24 hex digits');
  if (settings.onUnavailable !== 'block' && !settings.journal)
    throw new Invalid(
      `onUnavailable: '${settings.onUnavailable}' needs a journal, so that the record is complete`,
    );
  return settings;
}
