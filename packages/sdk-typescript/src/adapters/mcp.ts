// An MCP client whose calls of tools ask first.
import { nameServer } from '../action-names.ts';
import { isObject, type JsonObject } from '../json.ts';
import {
  type AdapterOptions,
  describeRefusal,
  getClient,
  isForModel,
  toGuardOptions,
} from './calls.ts';

export type { AdapterOptions } from './calls.ts';

interface CallParams {
  name: string;
  arguments?: unknown;
}

interface Client {
  callTool: (params: never, ...rest: never[]) => Promise<unknown>;
  getServerVersion?: () => { name: string } | undefined;
}

/** Errors after which the server may act still, or have acted: no answer came. */
const UNANSWERED = new Set<unknown>([-32000, -32001, 'CONNECTION_CLOSED', 'REQUEST_TIMEOUT']);
const judgeError = (error: unknown): 'failed' | 'unknown' =>
  isObject(error) && UNANSWERED.has(error.code) ? 'unknown' : 'failed';

/** Where the decision about a call stands in its result. */
const DECISION_META = 'dev.assay/decision';

/**
 * Returns the client, whose `callTool` asks first. A refusal is a result with `isError` and the reason. With
 * `onHold: 'suspend'` a held call throws `Held`, to be resumed by `assay.resume`.
 */
export function guardClient<C extends Client>(client: C, options: AdapterOptions = {}): C {
  const callTool = async (params: CallParams, ...rest: unknown[]): Promise<unknown> => {
    const server = client.getServerVersion?.()?.name;
    const members: JsonObject = { ...options.members };
    if (server) members.server = nameServer(server);
    const run = async (args: unknown): Promise<unknown> => {
      const call = client.callTool.bind(client) as (...given: unknown[]) => Promise<unknown>;
      return call({ ...params, arguments: args }, ...rest);
    };
    const signal = findSignal(rest);
    const named = toGuardOptions(
      { judgeError, ...options, members },
      { id: undefined, runId: undefined, prompt: undefined, signal },
    );
    try {
      return await getClient(options).guard(params.name, run, named)(params.arguments ?? {});
    } catch (error) {
      if (!isForModel(error)) throw error;
      const content = [{ type: 'text', text: describeRefusal(error) }];
      const meta = error.traceId === undefined ? {} : { _meta: { [DECISION_META]: error.traceId } };
      return { content, isError: true, ...meta };
    }
  };
  return new Proxy(client, {
    get(target, member) {
      if (member === 'callTool') return callTool;
      const value: unknown = Reflect.get(target, member, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

/** Returns the signal of the request's options, which are the last argument. */
function findSignal(rest: unknown[]): AbortSignal | undefined {
  const last = rest.at(-1);
  return isObject(last) && (last.signal as unknown) instanceof AbortSignal
    ? (last.signal as unknown as AbortSignal)
    : undefined;
}
