// What kind of project a folder is: its language, its agent frameworks, and the coding agents that work in it.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isObject } from '../../../sdk-typescript/src/json.ts';
import { parseObject, readFileOrNull } from './change.ts';

export type Language = 'typescript' | 'python';

export interface Framework {
  name: string;
  language: Language;
  /** The package that shows its use. */
  package: string;
}

const FRAMEWORKS: readonly Framework[] = [
  { name: 'Vercel AI SDK', language: 'typescript', package: 'ai' },
  { name: 'OpenAI Agents', language: 'typescript', package: '@openai/agents' },
  { name: 'LangGraph', language: 'typescript', package: '@langchain/langgraph' },
  { name: 'LangChain', language: 'typescript', package: 'langchain' },
  { name: 'Mastra', language: 'typescript', package: '@mastra/core' },
  { name: 'Claude Agent SDK', language: 'typescript', package: '@anthropic-ai/claude-agent-sdk' },
  { name: 'MCP client', language: 'typescript', package: '@modelcontextprotocol/client' },
  { name: 'MCP client', language: 'typescript', package: '@modelcontextprotocol/sdk' },
  { name: 'LangGraph', language: 'python', package: 'langgraph' },
  { name: 'LangChain', language: 'python', package: 'langchain' },
  { name: 'OpenAI Agents', language: 'python', package: 'openai-agents' },
  { name: 'Claude Agent SDK', language: 'python', package: 'claude-agent-sdk' },
  { name: 'MCP client', language: 'python', package: 'mcp' },
  { name: 'Pydantic AI', language: 'python', package: 'pydantic-ai' },
  { name: 'Pydantic AI', language: 'python', package: 'pydantic-ai-slim' },
  { name: 'Strands Agents', language: 'python', package: 'strands-agents' },
  { name: 'Google ADK', language: 'python', package: 'google-adk' },
  { name: 'CrewAI', language: 'python', package: 'crewai' },
];

/** Where each coding agent keeps its settings in a project. */
const HOST_FOLDERS = {
  'claude-code': '.claude',
  codex: '.codex',
  cursor: '.cursor',
  opencode: '.opencode',
  'gemini-cli': '.gemini',
  copilot: '.github/hooks',
} as const;

export interface Project {
  languages: Language[];
  frameworks: Framework[];
  hosts: string[];
}

export async function inspectProject(folder: string): Promise<Project> {
  const manifest = await readFileOrNull(join(folder, 'package.json'));
  const python = [
    await readFileOrNull(join(folder, 'pyproject.toml')),
    await readFileOrNull(join(folder, 'requirements.txt')),
  ].filter((text) => text !== null);
  const inNode = listNodePackages(manifest);
  const inPython = listPythonPackages(python.join('\n'));
  const languages: Language[] = [];
  if (manifest !== null) languages.push('typescript');
  if (python.length > 0) languages.push('python');
  return {
    languages,
    frameworks: FRAMEWORKS.filter(({ language, package: name }) =>
      (language === 'typescript' ? inNode : inPython).has(name),
    ),
    hosts: Object.entries(HOST_FOLDERS)
      .filter(([, name]) => existsSync(join(folder, name)))
      .map(([host]) => host),
  };
}

function listNodePackages(manifest: string | null): Set<string> {
  const { dependencies, devDependencies } = parseObject(manifest) ?? {};
  return new Set(
    [dependencies, devDependencies].flatMap((list) =>
      isObject(list ?? null) ? Object.keys(list as object) : [],
    ),
  );
}

/** The names at the beginning of requirements, in either file. */
function listPythonPackages(text: string): Set<string> {
  const names = text.matchAll(/^[\s"'[]*([A-Za-z0-9][A-Za-z0-9._-]*)(?=[\s"'\][<>=!~;,]|$)/gm);
  const listed = text.matchAll(/["']([A-Za-z0-9][A-Za-z0-9._-]*)[^"']*["']/g);
  return new Set([...names, ...listed].map(([, name]) => name!.toLowerCase().replace(/_/g, '-')));
}
