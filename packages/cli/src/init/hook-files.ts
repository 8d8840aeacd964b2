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

/** Seconds that a host gives the hook; the hook itself answers within 53. */
const LIMIT = 60;
const LIMIT_AFTER = 20;

/** Cursor asks before its other tools under one name each; shell and MCP servers have events of their own. */
const CURSOR_TOOLS = 'Write|Delete|Task';

/** Codex, Gemini CLI and VS Code let a call pass when its hook cannot start, or fails in any other way than with status 2. */
const CLOSED = "|| { echo 'Assay: the hook failed. Nothing has run.' >&2; exit 2; }";

const OUR_COMMAND =
  /assay\S*('? --profile \S+)?'? hook (claude-code|codex|cursor|gemini-cli|copilot)( \|\| \{ echo 'Assay.*\})?$/;

type Entries = Record<string, JsonObject>;

/** How a host lists its hooks. */
interface HookFile {
  /** @param isPortable what holds on this machine alone is not for the repository */
  nameFile: (isPortable: boolean) => string;
  /**
   * How shells find the program in the project, wherever the host works: npx takes several times as long as the hook
   * itself. Most hosts start hooks in the folder of the project.
   */
  program: string;
  /** Whether the shell has to refuse a call whose hook cannot start. */
  isClosedByShell: boolean;
  /** @param first the command before a call */
  listEntries: (first: string, command: string) => Entries;
  version?: number;
  /** What a person has to do, or to know. */
  note: string;
}

const FILES: Readonly<Record<string, HookFile>> = {
  'claude-code': {
    nameFile: (isPortable) =>
      isPortable ? '.claude/settings.json' : '.claude/settings.local.json',
    program: `"$CLAUDE_PROJECT_DIR"/${PROGRAM}`,
    isClosedByShell: false,
    listEntries: (first, command) => ({
      ...listClaudeEntries(createCommand(first, LIMIT, { onFailure: 'block' }), command),
      PostToolUseFailure: { hooks: [createCommand(command, LIMIT_AFTER)] },
      SessionEnd: { hooks: [createCommand(command, LIMIT_AFTER)] },
    }),
    note: 'Claude Code: a hook that fails is a refusal from 2.1.295 on (onFailure)',
  },
  codex: {
    nameFile: () => '.codex/hooks.json',
    program: `"$(git rev-parse --show-toplevel)"/${PROGRAM}`,
    isClosedByShell: true,
    // Codex has no event for a tool that failed: the outcome is then unknown.
    listEntries: (first, command) => listClaudeEntries(createCommand(first, LIMIT), command),
    note: 'Codex runs the hook only in a project that you trust, and once you trust it: /hooks in Codex',
  },
  cursor: {
    nameFile: () => '.cursor/hooks.json',
    program: PROGRAM,
    isClosedByShell: false,
    listEntries: listCursorEntries,
    version: 1,
    note: 'Cursor: restart it, and look at Settings, Hooks',
  },
  'gemini-cli': {
    nameFile: () => '.gemini/settings.json',
    program: PROGRAM,
    isClosedByShell: true,
    listEntries: listGeminiEntries,
    note: 'Gemini CLI runs the hook only in a folder that you trust: /permissions in Gemini CLI',
  },
  copilot: {
    nameFile: () => '.github/hooks/assay.json',
    program: PROGRAM,
    isClosedByShell: true,
    listEntries: (first, command) => ({
      PreToolUse: createCommand(first, LIMIT),
      PostToolUse: createCommand(command, LIMIT_AFTER),
      PostToolUseFailure: createCommand(command, LIMIT_AFTER),
      UserPromptSubmit: createCommand(command, LIMIT_AFTER),
    }),
    version: 1,
    note: 'Copilot: trust the folder, and start its command line there. Its cloud agent reads the same file',
  },
};

export async function planHook(folder: string, host: string, starter: Starter): Promise<Plan> {
  if (host === 'opencode') return planPlugin(folder, starter);
  const { nameFile, isClosedByShell, listEntries, version, note } = FILES[host]!;
  const command = renderCommand(folder, host, starter);
  const name = nameFile(starter.isPortable);
  const file = join(folder, name);
  const before = await readFileOrNull(file);
  const settings = parseObject(before);
  const isClosed = isClosedByShell && process.platform !== 'win32';
  const entries = listEntries(isClosed ? `${command} ${CLOSED}` : command, command);
  if (settings === null)
    return {
      changes: [],
      notes: [`${name} is no plain JSON. Add by hand: ${JSON.stringify({ hooks: entries })}`],
    };
  const hooks = isObject(settings.hooks ?? null) ? (settings.hooks as JsonObject) : {};
  const merged = mergeEntries(hooks, entries);
  if (merged === null) return { changes: [], notes: [`${name}: the hook is there already`] };
  const versioned = version === undefined ? {} : { version: settings.version ?? version };
  const after = renderObject({ ...versioned, ...settings, hooks: merged });
  const changes = [{ file, what: `ask Assay before ${host} acts`, before, after }];
  return { changes, notes: [note] };
}

/** Windows has other shells, and a folder that is no repository has no root for Codex: npx finds the program there. */
function renderCommand(
  folder: string,
  host: string,
  { words, options, isPortable }: Starter,
): string {
  const isFound = host !== 'codex' || existsSync(join(folder, '.git'));
  const program =
    isPortable && isFound && process.platform !== 'win32' ? FILES[host]!.program : undefined;
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

const createCommand = (command: string, timeout: number, more: JsonObject = {}): JsonObject => ({
  type: 'command',
  command,
  timeout,
  ...more,
});

function listClaudeEntries(before: JsonObject, command: string): Entries {
  const after = { hooks: [createCommand(command, LIMIT_AFTER)] };
  return { PreToolUse: { hooks: [before] }, PostToolUse: after, UserPromptSubmit: after };
}

/** Gemini CLI counts in milliseconds. */
function listGeminiEntries(first: string, command: string): Entries {
  const after = { hooks: [createCommand(command, LIMIT_AFTER * 1000)] };
  const before = { hooks: [createCommand(first, LIMIT * 1000)] };
  return { BeforeTool: before, AfterTool: after, BeforeAgent: after, SessionEnd: after };
}

function listCursorEntries(first: string, command: string): Entries {
  const before = { command: first, timeout: LIMIT, failClosed: true };
  const after = { command, timeout: LIMIT_AFTER };
  return {
    beforeShellExecution: before,
    beforeMCPExecution: before,
    preToolUse: { ...before, matcher: CURSOR_TOOLS },
    beforeSubmitPrompt: after,
    sessionEnd: after,
    afterShellExecution: after,
    afterMCPExecution: after,
    postToolUse: { ...after, matcher: CURSOR_TOOLS },
    postToolUseFailure: { ...after, matcher: CURSOR_TOOLS },
  };
}

/** Adds entries to the lists of their events; null: all are there. */
function mergeEntries(hooks: JsonObject, entries: Readonly<Entries>): JsonObject | null {
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
