// The MCP server of a tool of GitHub Copilot, which puts both into one name: by the servers that its settings list.
import { homedir } from 'node:os';
import { join } from 'node:path';
import { readServers } from './server-lists.ts';

const FILES: readonly [file: string, member: string][] = [
  ['.vscode/mcp.json', 'servers'],
  ['.mcp.json', 'mcpServers'],
  ['.github/mcp.json', 'mcpServers'],
];
/** Characters of a server that VS Code keeps in the names of its tools. */
const VS_CODE_CHARACTERS = 13;

interface SplitName {
  tool: string;
  server?: string | undefined;
}

/** Returns a tool of a server that no settings list, and a tool of Copilot's own, by the name that Copilot has for it. */
export function splitTool(name: string, folder: string | undefined): SplitName {
  if (!/^mcp_|-/.test(name)) return { tool: name };
  const servers = listServers(folder);
  const found = servers
    .flatMap((server) => listPrefixes(server).map((prefix) => ({ server, prefix })))
    .filter(({ prefix }) => name.startsWith(prefix) && name.length > prefix.length)
    // Of two that fit, the longer one is meant.
    .sort((one, other) => other.prefix.length - one.prefix.length)[0];
  return found ? { tool: name.slice(found.prefix.length), server: found.server } : { tool: name };
}

/** What stands before the tools of a server: on the command line, and in VS Code. */
const listPrefixes = (server: string): string[] => [
  `${server.replace(/[^A-Za-z0-9_-]/g, '-')}-`,
  `mcp_${server
    .toLowerCase()
    .replace(/[^a-z0-9_.-]+/g, '_')
    .slice(0, VS_CODE_CHARACTERS)}_`,
];

function listServers(folder: string | undefined): string[] {
  const own = readServers(join(homedir(), '.copilot/mcp-config.json'), 'mcpServers');
  const ofProject = folder === undefined ? [] : FILES;
  const lists = ofProject.map(([file, member]) => readServers(join(folder!, file), member));
  return [...lists, own].flatMap((list) => Object.keys(list));
}
