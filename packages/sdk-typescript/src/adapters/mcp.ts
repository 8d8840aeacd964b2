// An MCP client whose calls of tools ask first.
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

/** The server's answer that its tool failed: an outcome, and no failure of ours. */
class ToolFailure extends Error {
  readonly result: unknown;

  constructor(result: unknown) {
    super('The tool failed');
    this.result = result;
  }
}

/** Where the decision about a call stands in its result. */
const DECISION_META = 'dev.assay/decision';

/**
 * Returns the client, whose `callTool` asks first. A refusal is a result with `isError` and the reason. With
 * `onHold: 'suspend'` a held call throws `Held`, to be resumed by `assay.resume`.
 */
export function guardClient<C extends Client>(client: C, options: AdapterOptions = {}): C {
  const callTool = async (params: CallParams, ...rest: unknown[]): Promise<unknown> => {
    const server = client.getServerVersion?.()?.name;
    const members: JsonObject = { ...options.members, ...(server !== undefined && { server }) };
    const run = async (args: unknown): Promise<unknown> => {
      const call = client.callTool.bind(client) as (...given: unknown[]) => Promise<unknown>;
      const result = await call({ ...params, arguments: args }, ...rest);
      if (isObject(result) && result.isError === true) throw new ToolFailure(result);
      return result;
    };
    const signal = findSignal(rest);
    const named = toGuardOptions(
      { ...options, members },
      { id: undefined, runId: undefined, prompt: undefined, signal },
    );
    try {
      return await getClient(options).guard(params.name, run, named)(params.arguments ?? {});
    } catch (error) {
      if (error instanceof ToolFailure) return error.result;
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
