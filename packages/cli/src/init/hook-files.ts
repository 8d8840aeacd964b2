// Installs `assay hook` in the settings of coding agents, beside what stands there.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isObject, type Json, type JsonObject } from '../../../sdk-typescript/src/json.ts';
import { parseObject, type Plan, readFileOrNull, renderObject } from './change.ts';
import { renderPlugin } from './opencode-plugin.ts';

/** How `assay` is started: word by word, with options for every command. */
export interface Starter {
  words: readonly string[];
  options: readonly string[];
  /** Assay is a package of the project, so that the words hold on any machine. */
  isPortable: boolean;
}

const PROGRAM = 'node_modules/.bin/assay';

/** How shells find it in the project, wherever the host works: npx takes several times as long as the hook itself. */
const IN_PROJECT: Readonly<Record<string, string>> = {
  'claude-code': `"$CLAUDE_PROJECT_DIR"/${PROGRAM}`,
  codex: `"$(git rev-parse --show-toplevel)"/${PROGRAM}`,
  // Cursor starts hooks in the folder of the project.
  cursor: PROGRAM,
};

/** Seconds that a host gives the hook; the hook itself answers within 53. */
const LIMIT = 60;
const LIMIT_AFTER = 20;

/** Cursor asks before its other tools under one name each; shell and MCP servers have events of their own. */
const CURSOR_TOOLS = 'Write|Delete|Task';

/** Codex lets a call pass when its hook cannot start, or fails in any other way than with status 2 and a reason. */
const CLOSED = "|| { echo 'Assay: the hook failed. Nothing has run.' >&2; exit 2; }";

const OUR_COMMAND =
  /assay\S*('? --profile \S+)?'? hook (claude-code|codex|cursor)( \|\| \{ echo 'Assay.*\})?$/;

const NOTES: Readonly<Record<string, string>> = {
  'claude-code': 'Claude Code: a hook that fails is a refusal from 2.1.295 on (onFailure)',
  codex:
    'Codex runs the hook only in a project that you trust, and once you trust it: /hooks in Codex',
  cursor: 'Cursor: restart it, and look at Settings, Hooks',
};

export async function planHook(folder: string, host: string, starter: Starter): Promise<Plan> {
  if (host === 'opencode') return planPlugin(folder, starter);
  const command = renderCommand(folder, host, starter);
  const name = {
    // What holds on this machine alone is not for the repository.
    'claude-code': starter.isPortable ? '.claude/settings.json' : '.claude/settings.local.json',
    codex: '.codex/hooks.json',
    cursor: '.cursor/hooks.json',
  }[host]!;
  const file = join(folder, name);
  const before = await readFileOrNull(file);
  const settings = parseObject(before);
  const entries = host === 'cursor' ? listCursorEntries(command) : listClaudeEntries(command, host);
  if (settings === null)
    return {
      changes: [],
      notes: [`${name} is no plain JSON. Add by hand: ${JSON.stringify({ hooks: entries })}`],
    };
  const hooks = isObject(settings.hooks ?? null) ? (settings.hooks as JsonObject) : {};
  const merged = mergeEntries(hooks, entries);
  if (merged === null) return { changes: [], notes: [`${name}: the hook is there already`] };
  const version = host === 'cursor' ? { version: settings.version ?? 1 } : {};
  const after = renderObject({ ...version, ...settings, hooks: merged });
  const notes = [NOTES[host]!];
  return { changes: [{ file, what: `ask Assay before ${host} acts`, before, after }], notes };
}

/** Windows has other shells, and a folder that is no repository has no root for Codex: npx finds the program there. */
function renderCommand(
  folder: string,
  host: string,
  { words, options, isPortable }: Starter,
): string {
  const isFound = host !== 'codex' || existsSync(join(folder, '.git'));
  const program =
    isPortable && isFound && process.platform !== 'win32' ? IN_PROJECT[host] : undefined;
  return [program ?? words.map(addQuotes), [...options, 'hook', host].map(addQuotes)]
    .flat()
    .join(' ');
}

async function planPlugin(folder: string, { words, options, isPortable }: Starter): Promise<Plan> {
  const program = isPortable && process.platform !== 'win32' ? ['node', PROGRAM] : words;
  const file = join(folder, '.opencode/plugins/assay.js');
  const before = await readFileOrNull(file);
  const after = renderPlugin([...program, ...options, 'hook', 'opencode']);
  if (before === after)
    return { changes: [], notes: ['.opencode/plugins/assay.js is there already'] };
  const what = 'ask Assay before opencode acts';
  return { changes: [{ file, what, before, after }], notes: ['opencode: restart it'] };
}

function listClaudeEntries(command: string, host: string): Record<string, JsonObject> {
  const closed = host === 'claude-code' ? { onFailure: 'block' } : {};
  const isClosedByShell = host === 'codex' && process.platform !== 'win32';
  const first = isClosedByShell ? `${command} ${CLOSED}` : command;
  const before = { type: 'command', command: first, timeout: LIMIT, ...closed };
  const after = { hooks: [{ type: 'command', command, timeout: LIMIT_AFTER }] };
  return {
    PreToolUse: { hooks: [before] },
    PostToolUse: after,
    UserPromptSubmit: after,
    // Codex has no event for a tool that failed: the outcome is then unknown.
    ...(host === 'claude-code' && { PostToolUseFailure: after }),
  };
}

function listCursorEntries(command: string): Record<string, JsonObject> {
  const before = { command, timeout: LIMIT, failClosed: true };
  const after = { command, timeout: LIMIT_AFTER };
  return {
    beforeShellExecution: before,
    beforeMCPExecution: before,
    preToolUse: { ...before, matcher: CURSOR_TOOLS },
    beforeSubmitPrompt: after,
    afterShellExecution: after,
    afterMCPExecution: after,
    postToolUse: { ...after, matcher: CURSOR_TOOLS },
    postToolUseFailure: { ...after, matcher: CURSOR_TOOLS },
  };
}

/** Adds entries to the lists of their events; null: all are there. */
function mergeEntries(
  hooks: JsonObject,
  entries: Readonly<Record<string, JsonObject>>,
): JsonObject | null {
  const merged = { ...hooks };
  let isChanged = false;
  for (const [event, entry] of Object.entries(entries)) {
    const list: Json[] = Array.isArray(hooks[event]) ? hooks[event] : [];
    if (list.some((kept) => JSON.stringify(kept) === JSON.stringify(entry))) continue;
    // An entry of Assay that was made with other words is replaced.
    merged[event] = [...list.filter((kept) => !isOurs(kept)), entry];
    isChanged = true;
  }
  return isChanged ? merged : null;
}

/** Whether an entry is one of Assay's alone: what a person put beside it in the same entry stays. */
function isOurs(entry: Json): boolean {
  if (!isObject(entry)) return false;
  const { hooks, command } = entry;
  const [only, ...others] = Array.isArray(hooks) ? hooks : [entry];
  const text = isObject(only ?? null) ? (only as JsonObject).command : command;
  return others.length === 0 && typeof text === 'string' && OUR_COMMAND.test(text);
}

/** Quotes a word for a shell where it needs to be. */
const addQuotes = (word: string): string =>
  /^[A-Za-z0-9_./:@=-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
