// Claude Agent SDK: hooks that ask before each tool, and report after it. A hook answers in time: the rest is deferred.
import { type Action, nameAction } from '../action-names.ts';
import type { RunContext } from '../context.ts';
import { Held } from '../errors.ts';
import { isObject, type Json, type JsonObject, toJson } from '../json.ts';
import {
  type AdapterOptions,
  describeRefusal,
  getClient,
  isForModel,
  isHeld,
  nameCall,
  toGuardOptions,
} from './calls.ts';

export type { AdapterOptions } from './calls.ts';

/** What every hook is given. */
interface HookInput {
  hook_event_name: string;
  session_id: string;
}

interface ToolUse extends HookInput {
  tool_name: string;
  tool_input: unknown;
  tool_use_id: string;
  cwd?: string;
  permission_mode?: string;
  /** Of a subagent. */
  agent_id?: string;
  agent_type?: string;
  tool_response?: unknown;
  error?: string;
  is_interrupt?: boolean;
}

interface Permission {
  hookSpecificOutput: {
    hookEventName: 'PreToolUse';
    permissionDecision: 'allow' | 'deny' | 'defer';
    permissionDecisionReason?: string;
    updatedInput?: Record<string, unknown>;
  };
}
/** Without members: the host's own rules decide. */
type Answer = Permission | { hookSpecificOutput?: never };

interface Hook {
  (input: HookInput, id: string | undefined, given: { signal: AbortSignal }): Promise<Answer>;
}

interface Matcher {
  hooks: Hook[];
  /** Seconds. */
  timeout?: number;
  onFailure?: 'block';
}

export interface ClaudeHooks {
  UserPromptSubmit: Matcher[];
  PreToolUse: Matcher[];
  PostToolUse: Matcher[];
  PostToolUseFailure: Matcher[];
}

/** A tool that the host runs. */
interface Running {
  succeed: (result: unknown) => void;
  fail: (error: Error) => void;
  /** Resolves when the outcome is recorded. */
  finish: () => Promise<unknown>;
}

/** The host gives a hook a minute; a person's answer within this time needs no second look. */
const WAIT_MS = 50_000;
const MARGIN_SECONDS = 10;
const REMEMBERED_MAX = 1_000;
/** What a person wrote in one session; the newest are kept. */
const PROMPTS_MAX = 100;

/**
 * Returns the hooks of a query. A refusal denies the tool with the reason, which the model reads. A held call waits 50
 * seconds (`wait`); with `onHold: 'suspend'` it is deferred: the query ends, and asks once more when its session is resumed.
 * A call that no person had to decide is left to the host's own rules.
 */
export function createGuardHooks(options: AdapterOptions = {}): ClaudeHooks {
  const wait = options.wait ?? WAIT_MS;
  const running = new Map<string, Running>();
  const prompts = new Map<string, string[]>();
  /** How many calls of an id have ended. */
  const answered = new Map<string, number>();

  async function rememberPrompt(input: HookInput): Promise<Answer> {
    if (!('prompt' in input)) return {};
    const said = [...(prompts.get(input.session_id) ?? []), String(input.prompt)];
    remember(prompts, input.session_id, said.slice(-PROMPTS_MAX));
    return {};
  }

  const beforeTool: Hook = async (input, _, { signal }) => {
    try {
      return await askFor(input as ToolUse, signal);
    } catch (error) {
      if (error instanceof Held) return createDeferral(error);
      if (isForModel(error)) return createDenial(describeRefusal(error));
      throw error;
    }
  };

  async function askFor(use: ToolUse, signal: AbortSignal): Promise<Answer> {
    const { tool_input: args, tool_use_id: id, session_id: runId } = use;
    const { tool, arguments: _, ...members } = nameUse(use, args);
    const callId = nameCall(id, args, answered.get(`${runId} ${id}`) ?? 0);
    const said = prompts.get(runId) ?? [];
    const call = { id: callId, runId, prompt: said.at(-1), said, signal };
    const shared = { ...options, wait, members: { ...options.members, ...members } };
    const named = toGuardOptions(shared, call);
    named.toArguments = (given) => nameUse(use, given).arguments;
    Object.assign(((named.context as RunContext).metadata ??= {}), describeHost(use));
    const client = getClient(options);
    const holds = await isHeld(client.askFirst(tool, [args], named));
    const begun = await new Promise<unknown>((resolve, reject) => {
      const run = (approved: unknown): Promise<unknown> =>
        new Promise((succeed, fail) => {
          // An observed call runs before the guard has returned.
          remember(running, id, { succeed, fail, finish: () => finished });
          resolve(approved);
        });
      const finished = client.guard(tool, run, named)(args).catch(reject);
    });
    return !holds && begun === args ? {} : createPermission(begun, args);
  }

  async function afterTool(input: HookInput): Promise<Answer> {
    const { tool_use_id: id, tool_response: result = null, error, is_interrupt } = input as ToolUse;
    const run = running.get(id);
    running.delete(id);
    const name = `${input.session_id} ${id}`;
    remember(answered, name, (answered.get(name) ?? 0) + 1);
    const failure = new Error(error ?? 'The tool failed');
    if (is_interrupt === true) failure.name = 'AbortError';
    if (input.hook_event_name === 'PostToolUse') run?.succeed(result);
    else run?.fail(failure);
    await run?.finish();
    return {};
  }

  const timeout = Number.isFinite(wait) ? Math.ceil(wait / 1000) + MARGIN_SECONDS : undefined;
  return {
    UserPromptSubmit: [{ hooks: [rememberPrompt] }],
    PreToolUse: [
      { hooks: [beforeTool], onFailure: 'block', ...(timeout !== undefined && { timeout }) },
    ],
    PostToolUse: [{ hooks: [afterTool] }],
    PostToolUseFailure: [{ hooks: [afterTool] }],
  };
}

const nameUse = ({ tool_name: name, cwd }: ToolUse, args: unknown): Action =>
  nameAction('claude-agent-sdk', { name, input: toJson(args), cwd });

/** Under which rules of the host, and by which of its agents, a tool is called. */
function describeHost({ permission_mode, agent_id, agent_type }: ToolUse): JsonObject {
  const given = { permissionMode: permission_mode, agentId: agent_id, agentType: agent_type };
  return toJson(given) as JsonObject;
}

function createPermission(approved: unknown, args: unknown): Permission {
  const isEdited = approved !== args && isObject(approved);
  return {
    hookSpecificOutput: {
      hookEventName: 'PreToolUse',
      permissionDecision: 'allow',
      ...(isEdited && { updatedInput: approved as Record<string, Json> }),
    },
  };
}

const createDenial = (permissionDecisionReason: string): Permission => ({
  hookSpecificOutput: {
    hookEventName: 'PreToolUse',
    permissionDecision: 'deny',
    permissionDecisionReason,
  },
});

function createDeferral({ message, held }: Held): Permission {
  const permissionDecisionReason = held.review === null ? message : `${message}: ${held.review}`;
  return {
    hookSpecificOutput: {
      hookEventName: 'PreToolUse',
      permissionDecision: 'defer',
      permissionDecisionReason,
    },
  };
}

/** Forgets the oldest when there are too many: what never ended is sealed as unknown by the service. */
function remember<V>(among: Map<string, V>, key: string, value: V): void {
  among.delete(key);
  const [oldest] = among.keys();
  if (oldest !== undefined && among.size >= REMEMBERED_MAX) among.delete(oldest);
  among.set(key, value);
}
