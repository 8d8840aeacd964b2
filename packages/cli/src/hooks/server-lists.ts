// The MCP servers that the settings of a host list, by their names.
import { readFileSync } from 'node:fs';
import { isObject, type JsonObject } from '../../../sdk-typescript/src/json.ts';
import { parseObject } from '../init/change.ts';

/** Returns the servers of a file; none where it is not there, or is no plain JSON. */
export function readServers(file: string, member: string): JsonObject {
  try {
    const { [member]: servers = null } = parseObject(readFileSync(file, 'utf8')) ?? {};
    return isObject(servers) ? servers : {};
  } catch {
    return {};
  }
}
