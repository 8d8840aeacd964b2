// Puts the proxy before the MCP servers that the settings of a client start.
import { join } from 'node:path';
import { isObject, type Json, type JsonObject } from '../../../sdk-typescript/src/json.ts';
import { type Change, parseObject, type Plan, readFileOrNull, renderObject } from './change.ts';

/** Where clients list their servers, and under which name. */
const FILES = [
  { file: '.mcp.json', member: 'mcpServers' },
  { file: '.cursor/mcp.json', member: 'mcpServers' },
  { file: '.vscode/mcp.json', member: 'servers' },
  { file: 'opencode.json', member: 'mcp' },
];

/** `command` is how `assay` is started, word by word. */
export async function planProxies(folder: string, command: readonly string[]): Promise<Plan> {
  const plan: Plan = { changes: [], notes: [] };
  for (const { file, member } of FILES) {
    const path = join(folder, file);
    const before = await readFileOrNull(path);
    if (before === null) continue;
    const settings = parseObject(before);
    if (settings === null) {
      plan.notes.push(`${file} is no plain JSON: put the proxy before each command there by hand`);
      continue;
    }
    const change = wrapServers({ path, file, before, settings, member }, command, plan.notes);
    if (change) plan.changes.push(change);
  }
  return plan;
}

interface Settings {
  path: string;
  file: string;
  before: string;
  settings: JsonObject;
  member: string;
}

function wrapServers(
  { path, file, before, settings, member }: Settings,
  command: readonly string[],
  notes: string[],
): Change | null {
  const servers = settings[member];
  if (!isObject(servers ?? null)) return null;
  const names: string[] = [];
  const wrapped = Object.entries(servers as JsonObject).map(([name, server]) => {
    const made = wrapServer(name, server, command);
    if (made === 'remote')
      notes.push(`${file}: ${name} is reached by HTTP: start assay mcp-proxy --listen for it`);
    if (made === null || made === 'remote') return [name, server];
    names.push(name);
    return [name, made];
  });
  if (names.length === 0) return null;
  const after = renderObject({ ...settings, [member]: Object.fromEntries(wrapped) as JsonObject });
  return { file: path, what: `put the proxy before ${names.join(', ')}`, before, after };
}

/** Returns the server behind the proxy; null: it stands there already, or cannot be read. */
function wrapServer(
  name: string,
  server: Json,
  command: readonly string[],
): JsonObject | 'remote' | null {
  if (!isObject(server)) return null;
  const words = readWords(server);
  if (words === null) return typeof server.url === 'string' ? 'remote' : null;
  const at = words.indexOf('mcp-proxy');
  if (at !== -1 && words.includes('--server')) return null;
  // A proxy that was put there without the server's name gets it.
  const all =
    at === -1
      ? [...command, 'mcp-proxy', '--server', name, '--', ...words]
      : [...words.slice(0, at + 1), '--server', name, ...words.slice(at + 1)];
  if (Array.isArray(server.command)) return { ...server, command: all };
  const [first = '', ...rest] = all;
  return { ...server, command: first, args: rest };
}

function readWords({ command, args }: JsonObject): string[] | null {
  const words = Array.isArray(command)
    ? command
    : [command ?? null, ...(Array.isArray(args) ? args : [])];
  return words.length > 0 && words.every((word) => typeof word === 'string') ? words : null;
}
