// How a call is named: the same action by every way, so that one policy fits all.
import { isObject, type Json, type JsonObject } from './json.ts';

/** What is asked for. */
export interface Action extends JsonObject {
  tool: string;
  arguments: Json;
}

/** The host or framework that a call comes through; `mcp`: its server is known. */
export type Way =
  | 'mcp'
  | 'claude-code'
  | 'claude-agent-sdk'
  | 'codex'
  | 'cursor'
  | 'opencode'
  | 'gemini-cli'
  | 'copilot'
  | 'framework';

/** A call as its host or framework gives it. */
export interface GivenCall {
  name: string;
  input: Json;
  /** The name of the MCP server, where the host says it beside the tool's. */
  server?: string | undefined;
  /** The folder in which the host runs a shell. */
  cwd?: Json | undefined;
}

/** The name under which every host's shell is asked for. */
export const SHELL = 'shell';

const CLAUDE_SHELLS = ['Bash', 'PowerShell'];
const SHELLS: Readonly<Record<Way, readonly string[]>> = {
  mcp: [],
  'claude-code': CLAUDE_SHELLS,
  'claude-agent-sdk': CLAUDE_SHELLS,
  codex: CLAUDE_SHELLS,
  cursor: ['Shell', 'beforeShellExecution', 'afterShellExecution'],
  opencode: ['bash'],
  'gemini-cli': ['run_shell_command'],
  // Its command line and VS Code.
  copilot: ['Bash', 'run_in_terminal'],
  framework: [],
};
/** Members of a shell's input that change nothing about what is done: models word them differently each time. */
const WORDING = new Set(['description', 'explanation', 'goal']);

export const isShell = (way: Way, name: string): boolean => SHELLS[way].includes(name);

/** Returns the action that a call is asked for as. */
export function nameAction(way: Way, { name, input, server, cwd }: GivenCall): Action {
  if (isShell(way, name) && isObject(input)) {
    const args = pickMembers(input, (key) => !WORDING.has(key));
    return { ...(typeof cwd === 'string' && { cwd }), tool: SHELL, arguments: args };
  }
  if (server) return { server: nameServer(server), tool: name, arguments: input };
  const [, prefix, tool] = (!isPlain(way) && /^mcp__(.+?)__(.+)$/s.exec(name)) || [];
  if (prefix === undefined || tool === undefined) return { tool: name, arguments: input };
  return { server: nameServer(prefix), tool, arguments: input };
}

/** Puts the words that a shell's input had beside its action into the input that a reviewer made of it. */
export const addWording = (input: Json, edited: JsonObject): JsonObject =>
  isObject(input) ? { ...pickMembers(input, (key) => WORDING.has(key)), ...edited } : edited;

const pickMembers = (value: JsonObject, isPicked: (key: string) => boolean): JsonObject =>
  Object.fromEntries(Object.entries(value).filter(([key]) => isPicked(key)));

/** Most characters of a server's name, which the server may have chosen. */
const SERVER_CHARACTERS = 128;

/** A server's name as the hosts write it. */
export const nameServer = (name: string): string =>
  name.replace(/[^A-Za-z0-9_-]/gu, '_').slice(0, SERVER_CHARACTERS);

/** Whether tools of servers have no prefix there: a tool's name is its own. */
const isPlain = (way: Way): boolean => way === 'mcp' || way === 'framework';
