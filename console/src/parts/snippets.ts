// Examples that put Assay before an agent or send it a decision, with the address of this service and a key.

/** Who the example is for. */
export interface SnippetFor {
  /** Null: the reader has to put it in. */
  key: string | null;
  agent: string;
  tool: string;
}

/** A way by which decisions arrive. */
export interface Way {
  id: 'curl' | 'typescript' | 'python' | 'mcp' | 'hooks' | 'otlp';
  label: string;
  /** What it is for, in a sentence. */
  lead: string;
  write: (target: SnippetFor) => string;
}

const fillKey = (key: string | null): string => key ?? 'YOUR_KEY';
const getOrigin = (): string => location.origin;

const toShellText = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** Variables that the SDKs and the command line read. */
const writeVariables = ({ key, agent }: SnippetFor): string =>
  `export ASSAY_URL=${getOrigin()} ASSAY_KEY=${fillKey(key)} ASSAY_AGENT=${toShellText(agent)}`;

/** A command that posts a decision. */
export function writeCurl(key: string | null, decision: object): string {
  return `curl -s ${getOrigin()}/api/v1/traces \\
  -H 'x-api-key: ${fillKey(key)}' -H 'content-type: application/json' \\
  -d ${toShellText(JSON.stringify(decision))}`;
}

const ORDER = {
  inputContext: { prompt: 'Where is my order SO-48213?' },
  outputDecision: {
    action: { tool: 'get_order', arguments: { order_id: 'SO-48213' } },
    rationale: 'The customer asks about an order, so its state is read first.',
  },
};

/** A name that may stand in code as it is. */
const toIdentifier = (tool: string): string =>
  /^[A-Za-z_]\w*$/.test(tool) ? tool : tool.replaceAll(/\W+/g, '_').replace(/^\d/, '_$&') || 'tool';

const toCamelCase = (tool: string): string =>
  toIdentifier(tool).replaceAll(/_+(\w)/g, (_, letter: string) => letter.toUpperCase());

export const WAYS: readonly Way[] = [
  {
    id: 'curl',
    label: 'curl',
    lead: 'One decision, by hand.',
    write: ({ key, agent }) => writeCurl(key, { agentId: agent, ...ORDER }),
  },
  {
    id: 'typescript',
    label: 'TypeScript',
    lead: 'The function asks first, waits where a person has to decide, and reports what it did.',
    write: (target) => {
      const name = toCamelCase(target.tool);
      return `${writeVariables(target)}

import { Assay } from '@assay/sdk';

const assay = new Assay();
const ${name} = assay.guard(${JSON.stringify(target.tool)}, async (order: string) => {
  return { order, done: true }; // what the tool does
});
await ${name}('SO-48213');`;
    },
  },
  {
    id: 'python',
    label: 'Python',
    lead: 'The function asks first, waits where a person has to decide, and reports what it did.',
    write: (target) => {
      const name = toIdentifier(target.tool);
      return `${writeVariables(target)}

from assay import Assay

assay = Assay()

@assay.guard
def ${name}(order: str) -> dict:
    return {"order": order, "done": True}  # what the tool does

${name}("SO-48213")`;
    },
  },
  {
    id: 'mcp',
    label: 'MCP proxy',
    lead: 'Every tool of an MCP server is asked for first, without a line of code.',
    write: (target) => `${writeVariables(target)}

# In the settings of the MCP client, in place of the server's own command:
npx assay mcp-proxy -- node my-server.js`,
  },
  {
    id: 'hooks',
    label: 'Hooks',
    lead: 'Claude Code, Codex, Cursor and opencode ask before each tool they run.',
    write: (target) => `${writeVariables(target)}

# In the folder of the project; it shows what it would change, and asks.
npx assay init --hook claude-code`,
  },
  {
    id: 'otlp',
    label: 'OpenTelemetry',
    lead: 'Agents that are traced already: judged after the fact, so nothing is stopped.',
    write: ({ key }) => `export OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=${getOrigin()}/v1/traces
export OTEL_EXPORTER_OTLP_TRACES_PROTOCOL=http/protobuf
export OTEL_EXPORTER_OTLP_TRACES_HEADERS='x-api-key=${fillKey(key)}'`,
  },
];
