// Coding agents as their makers release them, in a project of their own, without a person and with a fake of their model.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Turn } from './host-model.ts';

export interface Host {
  name: 'claude-code' | 'codex' | 'opencode' | 'gemini-cli' | 'copilot';
  /** The program, which may not be installed. */
  program: string;
  /** Where `assay init` puts the hook. */
  hookFile: string;
  /** A call of the host's shell. */
  createCall(command: string): Turn;
  /** Of a host that is tried with an MCP server: where its servers are listed, and a call of a tool of one. */
  servers?: {
    file: string;
    createCall(server: string, tool: string, args: object): Turn;
    /** Whether the hook may change the arguments. */
    takesEdits: boolean;
  };
  /** Writes what the host reads, and returns the words and variables that start it. */
  prepare(
    folder: string,
    model: string,
  ): Promise<{ args: string[]; environment: Record<string, string> }>;
}

const modules = join(import.meta.dirname, '../node_modules');
const others = join(import.meta.dirname, '../hosts/node_modules');
const platform = `${process.platform}-${process.arch}`;
const PROMPT = 'Do it';

const claudeCode: Host = {
  name: 'claude-code',
  program: join(modules, `@anthropic-ai/claude-agent-sdk-${platform}/claude`),
  hookFile: '.claude/settings.local.json',
  createCall: (command) => ({ name: 'Bash', args: { command, description: 'Runs it' } }),
  prepare: async (folder, model) => ({
    args: ['-p', PROMPT, '--model', 'claude-fake', '--allowedTools', 'Bash'],
    environment: {
      CLAUDE_CONFIG_DIR: join(folder, 'home'),
      ANTHROPIC_BASE_URL: model,
      ANTHROPIC_API_KEY: 'a key for tests',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
    },
  }),
};

const codex: Host = {
  name: 'codex',
  program: join(others, '@openai/codex/bin/codex.js'),
  hookFile: '.codex/hooks.json',
  createCall: (command) => ({ name: 'exec_command', args: { cmd: command } }),
  async prepare(folder, model) {
    const home = join(folder, 'home');
    await mkdir(home, { recursive: true });
    const provider = { name: 'fake', base_url: `${model}/v1`, wire_api: 'responses' };
    const members = Object.entries(provider).map(([name, value]) => `${name} = "${value}"`);
    await writeFile(
      join(home, 'config.toml'),
      `model_provider = "fake"\n[model_providers.fake]\n${members.join('\n')}\n` +
        `[projects."${folder}"]\ntrust_level = "trusted"\n`,
    );
    const open = [
      '--dangerously-bypass-approvals-and-sandbox',
      '--dangerously-bypass-hook-trust',
      '--skip-git-repo-check',
    ];
    return { args: ['exec', ...open, '-m', 'gpt-5', PROMPT], environment: { CODEX_HOME: home } };
  },
};

const opencode: Host = {
  name: 'opencode',
  program: join(others, `opencode-${platform}/bin/opencode`),
  hookFile: '.opencode/plugins/assay.js',
  createCall: (command) => ({ name: 'bash', args: { command, description: 'Runs it' } }),
  async prepare(folder, model) {
    const options = { baseURL: `${model}/v1`, apiKey: 'a key for tests' };
    const limit = { context: 100_000, output: 1_000 };
    const fake = {
      npm: '@ai-sdk/openai-compatible',
      options,
      models: { m: { tool_call: true, limit } },
    };
    const config = {
      autoupdate: false,
      share: 'disabled',
      permission: 'allow',
      model: 'fake/m',
      small_model: 'fake/m',
      provider: { fake },
    };
    await writeFile(join(folder, 'opencode.json'), JSON.stringify(config));
    return {
      args: ['run', PROMPT],
      environment: {
        OPENCODE_DISABLE_AUTOUPDATE: '1',
        OPENCODE_DISABLE_MODELS_FETCH: '1',
        OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
        OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
      },
    };
  },
};

const geminiCli: Host = {
  name: 'gemini-cli',
  program: join(others, '@google/gemini-cli/bundle/gemini.js'),
  hookFile: '.gemini/settings.json',
  createCall: (command) => ({
    name: 'run_shell_command',
    args: { command, description: 'Runs it' },
  }),
  servers: {
    file: '.gemini/settings.json',
    createCall: (server, tool, args) => ({ name: `mcp_${server}_${tool}`, args }),
    takesEdits: true,
  },
  async prepare(folder, model) {
    const home = join(folder, 'home/.gemini');
    await mkdir(home, { recursive: true });
    const settings = {
      security: { auth: { selectedType: 'gemini-api-key' } },
      privacy: { usageStatisticsEnabled: false },
      general: { enableAutoUpdate: false },
    };
    await writeFile(join(home, 'settings.json'), JSON.stringify(settings));
    return {
      args: ['--yolo', '-m', 'gemini-2.5-flash', '-p', PROMPT],
      environment: {
        HOME: join(folder, 'home'),
        GOOGLE_GEMINI_BASE_URL: model,
        GEMINI_API_KEY: 'a key for tests',
        GEMINI_CLI_TRUST_WORKSPACE: 'true',
      },
    };
  },
};

/** The command line of GitHub Copilot, whose hooks are those of VS Code. */
const copilot: Host = {
  name: 'copilot',
  program: join(others, `@github/copilot-${platform}/copilot`),
  hookFile: '.github/hooks/assay.json',
  createCall: (command) => ({ name: 'bash', args: { command, description: 'Runs it' } }),
  servers: {
    file: '.mcp.json',
    createCall: (server, tool, args) => ({ name: `${server}-${tool}`, args }),
    takesEdits: false,
  },
  prepare: async (_, model) => ({
    args: ['--allow-all-tools', '--trust-folder', '-p', PROMPT],
    environment: {
      COPILOT_OFFLINE: 'true',
      COPILOT_PROVIDER_BASE_URL: `${model}/v1`,
      COPILOT_MODEL: 'gpt-4.1',
    },
  }),
};

export const HOSTS: readonly Host[] = [claudeCode, codex, opencode, geminiCli, copilot];

export const isInstalled = ({ program }: Host): boolean => existsSync(program);

/** Runs a host to its end in a folder that has its hook. Returns what it printed. */
export async function runHost(
  host: Host,
  { folder, model, environment }: { folder: string; model: string; environment: object },
): Promise<string> {
  const { program } = host;
  const { args, environment: own } = await host.prepare(folder, model);
  const isScript = program.endsWith('.js');
  const child = spawn(isScript ? process.execPath : program, isScript ? [program, ...args] : args, {
    cwd: folder,
    env: { ...environment, ...own },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [out, complaints] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  return out + complaints;
}
