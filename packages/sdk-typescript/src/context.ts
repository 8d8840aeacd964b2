// What a run of an agent is about: filled once around it, or by an adapter, and part of every decision in it.
import type { Json, JsonObject } from './json.ts';

export interface RunContext {
  /** What the agent was asked. */
  prompt?: string;
  /** All that the person wrote, where values may come from; default: the prompt. It is not posted. */
  prompts?: readonly string[];
  /** What began the run where no one asked, as a text or an object: a schedule, a message. */
  trigger?: Json;
  systemPrompt?: string;
  conversationId?: string;
  agentVersion?: string;
  /** Names the run: with it and `callId` a repeated call is the same decision. */
  runId?: string;
  /** Names the call in the run, as the framework does. */
  callId?: string;
  /** Why the agent wants to do it. */
  rationale?: string;
  sessionId?: string;
  parentTraceId?: string;
  /** On whose behalf: a chain of subjects. */
  actor?: Json;
  metadata?: JsonObject;
  /** Ends the waits and requests of the run. */
  signal?: AbortSignal | undefined;
}

interface Storage {
  run<T>(store: RunContext, body: () => T): T;
  getStore(): RunContext | undefined;
}

/** Without `AsyncLocalStorage` the context of a call is what the call itself gives. */
const storage = createStorage();

function createStorage(): Storage | undefined {
  const { process } = globalThis as { process?: { getBuiltinModule?: (name: string) => unknown } };
  const hooks = process?.getBuiltinModule?.('node:async_hooks') as
    | { AsyncLocalStorage: new () => Storage }
    | undefined;
  return hooks && new hooks.AsyncLocalStorage();
}

/** Calls `body` in a context, which inherits from the one around it. */
export function runInContext<T>(context: RunContext, body: () => T): T {
  return storage ? storage.run({ ...getContext(), ...context }, body) : body();
}

export function getContext(): RunContext {
  return storage?.getStore() ?? {};
}
