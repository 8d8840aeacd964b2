// Examples that put Assay before an agent or send it a decision, with the address of this service and a key.

/** Who the example is for. */
export interface SnippetFor {
  /** Null: the reader has to put it in. */
  key: string | null;
  agent: string;
  tool: string;
  /** The address of the service; absent: of this page. */
  origin?: string;
}

/** One block to copy, in one language. */
export interface SnippetStep {
  /** Where it goes. */
  place: string;
  /** The name of the file that it is; absent: commands of a shell. */
  file?: string;
  code: string;
}

/** A way by which decisions arrive. */
export interface Way {
  id: 'curl' | 'typescript' | 'python' | 'mcp' | 'hooks' | 'otlp';
  label: string;
  /** What it is for, in a sentence. */
  lead: string;
  write: (target: SnippetFor) => SnippetStep[];
}

/** Where a reader has the checkout; nothing is published on a registry. */
export const CHECKOUT = '~/assay';

const fillKey = (key: string | null): string => key ?? 'YOUR_KEY';
declare const location: { origin: string };
const findOrigin = ({ origin }: Pick<SnippetFor, 'origin'>): string => origin ?? location.origin;

const toShellText = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** Variables that the SDKs and the command line read. */
const writeVariables = (target: SnippetFor): string =>
  `export ASSAY_URL=${findOrigin(target)} ASSAY_KEY=${fillKey(target.key)} ASSAY_AGENT=${toShellText(target.agent)}`;

/** A command that posts a decision. */
export function writeCurl(target: Pick<SnippetFor, 'key' | 'origin'>, decision: object): string {
  return `curl -s ${findOrigin(target)}/api/v1/traces \\
  -H 'x-api-key: ${fillKey(target.key)}' -H 'content-type: application/json' \\
  -d ${toShellText(JSON.stringify(decision))}`;
}

const ORDER = {
  inputContext: { prompt: 'Where is my order SO-48213?' },
  outputDecision: {
    action: { tool: 'get_order', arguments: { order_id: 'SO-48213' } },
    rationale: 'The customer asks about an order, so its state is read first.',
  },
};

/** A name for the guarded tool that no language reserves. */
const toIdentifier = (tool: string): string => `run_${tool.replaceAll(/\W+/g, '_')}`;

const toCamelCase = (tool: string): string =>
  toIdentifier(tool).replaceAll(/_+(\w?)/g, (_, letter: string) => letter.toUpperCase());

const PROJECT = `In a terminal, in your project. ASSAY is the folder of Assay's checkout, after npm ci there:`;
const RUN = 'Run it, in the same terminal:';

const writeTypeScript = (tool: string): string => {
  const name = toCamelCase(tool);
  return `import { Assay } from '@assay/sdk';

const assay = new Assay();
const ${name} = assay.guard(${JSON.stringify(tool)}, async (/** @type {string} */ order) => {
  return { order, done: true }; // what the tool does
});
console.log(await ${name}('SO-48213'));`;
};

const writePython = (tool: string): string => {
  const name = toIdentifier(tool);
  return `from assay import Assay

assay = Assay()


@assay.guard(tool=${JSON.stringify(tool)})
def ${name}(order: str) -> dict:
    return {"order": order, "done": True}  # what the tool does


print(${name}("SO-48213"))`;
};

export const WAYS: readonly Way[] = [
  {
    id: 'curl',
    label: 'curl',
    lead: 'One decision, by hand.',
    write: (target) => [
      {
        place: 'In any terminal:',
        code: writeCurl(target, { agentId: target.agent, ...ORDER }),
      },
    ],
  },
  {
    id: 'typescript',
    label: 'TypeScript',
    lead: 'The function asks first, waits where a person has to decide, and reports what it did.',
    write: (target) => [
      {
        place: PROJECT,
        code: `ASSAY=${CHECKOUT}
node "$ASSAY/packages/sdk-typescript/build.mjs"
npm pack --silent --pack-destination . "$ASSAY/packages/sdk-typescript"
npm install ./assay-sdk-*.tgz`,
      },
      {
        place: 'The file example.mjs there; in TypeScript it is the same:',
        file: 'example.mjs',
        code: writeTypeScript(target.tool),
      },
      { place: RUN, code: `${writeVariables(target)}\nnode example.mjs` },
    ],
  },
  {
    id: 'python',
    label: 'Python',
    lead: 'The function asks first, waits where a person has to decide, and reports what it did.',
    write: (target) => [
      {
        place: PROJECT,
        code: `ASSAY=${CHECKOUT}
python3 -m venv .venv
.venv/bin/pip install "$ASSAY/packages/sdk-python"`,
      },
      {
        place: 'The file example.py there:',
        file: 'example.py',
        code: writePython(target.tool),
      },
      { place: RUN, code: `${writeVariables(target)}\n.venv/bin/python example.py` },
    ],
  },
  {
    id: 'mcp',
    label: 'MCP proxy',
    lead: 'Every tool of an MCP server is asked for first, without a line of code.',
    write: (target) => [
      {
        place: `In place of the server's own command (here node my-server.js), where the MCP client starts it. ASSAY is the folder of Assay's checkout, after npm ci there:`,
        code: `ASSAY=${CHECKOUT}
${writeVariables(target)}
node "$ASSAY/packages/cli/bin/assay.mjs" mcp-proxy -- node my-server.js`,
      },
    ],
  },
  {
    id: 'hooks',
    label: 'Hooks',
    lead: 'Claude Code, Codex, Cursor, opencode, Gemini CLI and Copilot ask before each tool.',
    write: (target) => [
      {
        place: `${PROJECT.slice(0, -1)}. It shows what it would change, and asks:`,
        code: `ASSAY=${CHECKOUT}
${writeVariables(target)}
node "$ASSAY/packages/cli/bin/assay.mjs" init --hook claude-code`,
      },
    ],
  },
  {
    id: 'otlp',
    label: 'OpenTelemetry',
    lead: 'Agents that are traced already: judged after the fact, so nothing is stopped.',
    write: (target) => [
      {
        place: 'In the environment of the agent, whose exporter reads these variables:',
        code: `export OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=${findOrigin(target)}/v1/traces
export OTEL_EXPORTER_OTLP_TRACES_PROTOCOL=http/protobuf
export OTEL_EXPORTER_OTLP_TRACES_HEADERS='x-api-key=${fillKey(target.key)}'`,
      },
    ],
  },
];
