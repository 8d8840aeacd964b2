// The hooks of GitHub Copilot in VS Code and on the command line: Claude Code's form, with tools of their own.
import { isObject, type Json, type JsonObject } from '../../../sdk-typescript/src/json.ts';
import { claudeCode, type NamedTool, readClaudeEvent, requireCommand } from './claude-hooks.ts';
import { splitTool } from './copilot-servers.ts';
import type { HookEvent, Host } from './host-call.ts';
import { holdsPatch } from './patch-files.ts';

const WAY = 'copilot';
/** What the shell of the command line adds to its output. */
const ENDED = /<shellId: \S+ completed with exit code (\d+)>\s*$/;

/** @param source tells the events of two files about one act from each other */
function createHost(source: string): Host {
  return {
    ...claudeCode,
    read: (payload) => {
      const event = readClaudeEvent(payload, WAY, readTool);
      if (event.kind === 'before')
        // VS Code runs the first input where another one does not fit the tool's schema.
        return { ...event, call: { ...event.call, event: source, toInput: undefined } };
      return event.kind === 'after' ? { ...event, outcome: readOutcome(event) } : event;
    },
  };
}

function readTool({ name, input, cwd }: NamedTool): NamedTool {
  requireCommand(WAY, { name, input });
  // The command line reports a patch by the name that Claude Code has for an edit.
  if (name === 'Edit' && holdsPatch(input)) return { name: 'apply_patch', input };
  const { server, tool } = splitTool(name, cwd);
  return { name: tool, input, server, cwd };
}

/** Neither says that a command of a shell failed, unless in its output. */
function readOutcome({ call, outcome, result }: HookEvent & { kind: 'after' }) {
  if (outcome !== 'succeeded' || call.action.tool !== 'shell') return outcome;
  const [, status] = ENDED.exec(readOutput(result)) ?? [];
  if (status === undefined) return 'unknown';
  return status === '0' ? 'succeeded' : 'failed';
}

function readOutput(result: Json): string {
  const { text_result_for_llm: output } = isObject(result) ? result : {};
  return String(output ?? result);
}

export const copilot: Host = createHost('PreToolUse');

/** Copilot runs the hooks of Claude Code too. */
export const copilotAsClaude: Host = createHost('PreToolUse of Claude Code');

/** Claude Code's own events have no time. */
export const isOfCopilot = ({ timestamp }: JsonObject): boolean => timestamp !== undefined;
