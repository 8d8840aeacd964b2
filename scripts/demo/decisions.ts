// The decisions the demo posts: a file of NDJSON, plain or gzipped, one body a line.
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';

export interface Decision {
  /** The body, byte for byte as it stands in the file. */
  line: string;
  /** The decision's name for its agent; null when it names none. */
  agent: string | null;
  /** The agent's action: the tool it called, or the bare action. */
  action: string;
}

/** Reads at most `limit` decisions. A line that is no JSON is kept: refusing it is the server's part. */
export function readDecisions(path: string, limit: number): Decision[] {
  const bytes = readFileSync(path);
  const isGzip = bytes[0] === 0x1f && bytes[1] === 0x8b;
  const lines = (isGzip ? gunzipSync(bytes) : bytes).toString('utf8').split('\n');
  return lines
    .filter((line) => line.trim() !== '')
    .slice(0, limit)
    .map(parseDecision);
}

function parseDecision(line: string): Decision {
  const { agentId, outputDecision } = parse(line);
  const { action } = outputDecision ?? {};
  const tool =
    typeof action === 'object' && action !== null && 'tool' in action ? action.tool : action;
  return {
    line,
    agent: typeof agentId === 'string' ? agentId : null,
    action: typeof tool === 'string' ? tool : '(other)',
  };
}

function parse(line: string): { agentId?: unknown; outputDecision?: { action?: unknown } } {
  try {
    return Object(JSON.parse(line)) as ReturnType<typeof parse>;
  } catch {
    return {};
  }
}
