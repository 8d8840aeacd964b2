// The name that Cursor's configuration gives an MCP server, by the address or command that an event names.
import { homedir } from 'node:os';
import { join } from 'node:path';
import { isObject, type Json, type JsonObject } from '../../../sdk-typescript/src/json.ts';
import { readText } from './host-call.ts';
import { readServers } from './server-lists.ts';

/** Returns undefined where no configuration has the server. An argument of its command may be a secret: it is no name. */
export function findServer(payload: JsonObject): string | undefined {
  const named = readText(payload.mcp_server_name) ?? readText(payload.server_name);
  if (named !== undefined) return named;
  const roots = Array.isArray(payload.workspace_roots) ? payload.workspace_roots : [];
  for (const folder of [...roots.slice(0, 20), homedir()]) {
    const servers =
      typeof folder === 'string' ? readServers(join(folder, '.cursor/mcp.json'), 'mcpServers') : {};
    const found = Object.entries(servers).find(([, server]) => isMeant(server, payload));
    if (found) return found[0];
  }
  const url = readText(payload.url);
  return url !== undefined && URL.canParse(url) ? new URL(url).host : undefined;
}

function isMeant(server: Json, { url, command }: JsonObject): boolean {
  if (!isObject(server)) return false;
  if (typeof url === 'string') return server.url === url;
  const args = Array.isArray(server.args) ? server.args : [];
  const words = [server.command ?? '', ...args].map((word) => String(word));
  return command === words.join(' ');
}
