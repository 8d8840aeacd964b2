// Vercel AI SDK 6 and 7: every tool of a set asks before it executes; in suspend mode as the SDK's own approval request.
import { hashText } from '../digest.ts';
import type { Standing } from '../guarding/guard.ts';
import { type CallInfo, isPart, listSaid, type Message, nameModelCall } from './ai-messages.ts';
import {
  type AdapterOptions,
  describeEnd,
  getClient,
  hasSuspension,
  isHeld,
  type NamedCall,
  toGuardOptions,
} from './calls.ts';

export type { AdapterOptions } from './calls.ts';

type Execute = (input: unknown, info: CallInfo) => unknown;
type Approval = boolean | ((input: unknown, info: CallInfo) => boolean | PromiseLike<boolean>);

interface Executable {
  execute?: Execute;
  needsApproval?: Approval;
}

/** A message that answers the approval requests which people have decided. */
export interface ApprovalMessage {
  role: 'tool';
  content: {
    type: 'tool-approval-response';
    approvalId: string;
    approved: boolean;
    reason?: string;
  }[];
}

/**
 * Returns the tools, each of which asks before it executes. What does not run is a tool error with the reason, which the
 * model reads. With `onHold: 'suspend'` a held call is an approval request of the SDK; what a client answers to it is not
 * believed: the verdict is read from the service when the tool executes.
 */
export function guardTools<T extends object>(tools: T, options: AdapterOptions = {}): T {
  const entries = Object.entries(tools).map(([name, tool]) => [
    name,
    guardTool(name, tool as Executable, options),
  ]);
  return Object.fromEntries(entries) as T;
}

/**
 * Returns the message that answers those approval requests in a conversation which people have decided, to be appended to
 * it; null while none is decided.
 */
export async function answerRequests(
  messages: readonly Message[],
  options: AdapterOptions = {},
): Promise<ApprovalMessage | null> {
  const parts = messages.flatMap(({ content }) => (Array.isArray(content) ? content : []));
  const answered = new Set(parts.filter(isAnswer).map(({ approvalId }) => approvalId));
  const calls = new Map(parts.filter(isToolCall).map((call) => [call.toolCallId, call]));
  const content: ApprovalMessage['content'] = [];
  for (const { approvalId, toolCallId } of parts.filter(isRequest)) {
    const call = calls.get(toolCallId);
    if (!call || answered.has(approvalId)) continue;
    const standing = await askFirst(call.toolName, call.input, { toolCallId, messages }, options);
    // What no person has to decide here is a question of the application's own.
    if (standing.status === 'pending' || standing.status === 'none') continue;
    content.push({ type: 'tool-approval-response', approvalId, ...describeVerdict(standing) });
  }
  return content.length > 0 ? { role: 'tool', content } : null;
}

function guardTool(name: string, tool: Executable, options: AdapterOptions): Executable {
  const { execute, needsApproval } = tool;
  // Without `execute` the tool runs elsewhere: at the client, or at the provider of the model.
  if (typeof execute !== 'function') return tool;
  const runTool = async (run: Execute, input: unknown, info: CallInfo): Promise<unknown> => {
    const call = await toNamedCall(input, info, options);
    const guarded = getClient(options).guard(
      name,
      (given: unknown) => run(given, info),
      toGuardOptions(options, call),
    );
    return guarded(input);
  };
  const guardedTool: Executable = {
    ...tool,
    execute: isGenerator(execute)
      ? async function* (input, info) {
          yield* (await runTool(execute, input, info)) as AsyncGenerator;
        }
      : (input, info) => runTool(drain(execute), input, info),
  };
  if (hasSuspension(options))
    guardedTool.needsApproval = async (input, info) => {
      const own = typeof needsApproval === 'function' ? needsApproval(input, info) : needsApproval;
      const [holds, asks] = await Promise.all([isHeld(askFirst(name, input, info, options)), own]);
      return holds || asks === true;
    };
  return guardedTool;
}

async function askFirst(
  name: string,
  input: unknown,
  info: CallInfo,
  options: AdapterOptions,
): Promise<Standing> {
  const suspended: AdapterOptions = { ...options, onHold: 'suspend' };
  const call = await toNamedCall(input, info, suspended);
  return getClient(options).askFirst(name, [input], toGuardOptions(suspended, call));
}

/** A suspended call comes back with the same messages: what the user said names its run. */
async function toNamedCall(
  input: unknown,
  info: CallInfo,
  options: AdapterOptions,
): Promise<NamedCall> {
  const runId = hasSuspension(options)
    ? await hashText(JSON.stringify(listSaid(info.messages)))
    : undefined;
  return { ...nameModelCall(input, info), runId };
}

function describeVerdict(standing: Standing): { approved: boolean; reason?: string } {
  if (standing.status === 'approved') return { approved: true };
  return { approved: false, reason: describeEnd(standing) };
}

/** Runs a tool; one that streams returns its last value. */
const drain =
  (execute: Execute): Execute =>
  async (input, info) => {
    const result = await execute(input, info);
    if (!isAsyncIterable(result)) return result;
    let last: unknown;
    for await (const value of result) last = value;
    return last;
  };

const isGenerator = (execute: Execute): boolean =>
  execute.constructor.name === 'AsyncGeneratorFunction';

const isAsyncIterable = (value: unknown): value is AsyncIterable<unknown> =>
  typeof value === 'object' && value !== null && Symbol.asyncIterator in value;

const isToolCall = (
  part: unknown,
): part is { toolCallId: string; toolName: string; input: unknown } =>
  isPart(part, 'tool-call') &&
  typeof part.toolCallId === 'string' &&
  typeof part.toolName === 'string';

const isRequest = (part: unknown): part is { approvalId: string; toolCallId: string } =>
  isPart(part, 'tool-approval-request') && typeof part.toolCallId === 'string';

const isAnswer = (part: unknown): part is { approvalId: string } =>
  isPart(part, 'tool-approval-response');
