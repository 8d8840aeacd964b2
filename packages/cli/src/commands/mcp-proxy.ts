// `assay mcp-proxy`: puts Assay before any MCP server, without a line of code.
import { randomUUID } from 'node:crypto';
import { basename, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import type { Assay, OnUnavailable } from '../../../sdk-typescript/src/index.ts';
import { FileJournal } from '../../../sdk-typescript/src/journal.ts';
import type { Io } from '../io.ts';
import type { ToolGate } from '../mcp/tool-gate.ts';
import { ToolListStore } from '../mcp/tool-list-store.ts';
import { CommandFailure, EXIT, toLine } from '../output.ts';
import { findStateFolder, readAddress } from '../profile.ts';
import { type CommonOptions, connectAgent, openSession, type Session } from '../session.ts';

interface ProxyOptions extends Partial<CommonOptions> {
  agent?: string;
  wait: string;
  readOnly: string;
  onUnavailable: string;
  journal: string;
  server?: string;
  listen?: string;
  upstream?: string;
}

/** By this name its decisions say where they come from. */
const PROGRAM = 'assay-mcp-proxy/0.1.0';
/** Time for outcomes that are not stored yet, when the proxy ends. */
const FLUSH_MS = 5_000;
const MODES: readonly OnUnavailable[] = ['block', 'allow-read-only', 'allow'];

export function addMcpProxyCommand(program: Command, io: Io): void {
  program
    .command('mcp-proxy')
    .description('ask Assay before every tool call of an MCP server')
    .argument('[command...]', 'the server to start, after --')
    .option('--agent <id>', 'agent that acts')
    .option(
      '--wait <seconds>',
      'how long a held call waits before its client has to ask again',
      '50',
    )
    .option(
      '--read-only <how>',
      'govern: ask for tools that say they only read, too; trust: only record them',
      'govern',
    )
    .option('--on-unavailable <how>', `without Assay: ${MODES.join(', ')}`, 'block')
    .option('--journal <file>', 'journal of what ran without Assay', 'assay-journal.ndjson')
    .option('--server <name>', 'name of the server in every action; else as it calls itself')
    .option('--listen <port>', 'serve streamable HTTP on this port of 127.0.0.1')
    .option('--upstream <address>', 'the MCP server to pass on to')
    .action(async (words: string[], options: ProxyOptions, command: Command) => {
      const session = await openSession(io, command.optsWithGlobals());
      const { target, assay, openGate, flush } = await prepareProxy(session, words, options);
      io.stderr.write(
        `assay: ${toLine(options.server ?? target.otherwise)} behind ${session.profile.url}; ${await describeKey(assay)}; without Assay: ${options.onUnavailable}\n`,
      );
      const endedWell = await runProxy(target, openGate, io);
      await Promise.race([flush(), sleep(FLUSH_MS)]);
      io.exitCode = endedWell ? EXIT.ok : EXIT.refused;
    });
}

interface Proxy {
  target: Target;
  assay: Assay;
  openGate: () => ToolGate;
  /** Sends what is not stored yet. It never rejects. */
  flush: () => Promise<unknown>;
}

/** Reads what is asked for, and makes what is the same for all connections. @throws CommandFailure */
export async function prepareProxy(
  session: Session,
  words: string[],
  options: ProxyOptions,
): Promise<Proxy> {
  const { wait, onUnavailable, trustsReadOnly } = readRules(options);
  const target = readTarget(words, options);
  const { agent } = options;
  const { io } = session;
  const onError = (error: unknown): void =>
    void io.stderr.write(`assay: ${toLine((error as Error).message)}\n`);
  const journal = new FileJournal(resolve(io.cwd, options.journal));
  // Loaded when they are used: every other command starts faster without them.
  const { trackServerResults } = await import('../mcp/server-results.ts');
  const common = { agent, onError, client: PROGRAM, origins: trackServerResults() };
  const assay = connectAgent(session, { ...common, onUnavailable, journal });
  const observer = connectAgent(session, { ...common, mode: 'observe' });
  const { ToolGate: Gate } = await import('../mcp/tool-gate.ts');
  const { ToolListWatch } = await import('../mcp/tool-list-watch.ts');
  const { ServerName } = await import('../mcp/server-name.ts');
  const server = new ServerName(options.server, target.otherwise);
  const scope = [session.profile.url, agent ?? session.profile.agent ?? '', target.scope];
  const store = new ToolListStore(scope, join(findStateFolder(io.env), 'mcp'));
  const watch = new ToolListWatch({ assay, server, store, onError });
  const shared = { assay, observer, server, wait, trustsReadOnly, watch };
  return {
    target,
    assay,
    openGate: () => new Gate({ ...shared, session: randomUUID() }),
    flush: () => Promise.allSettled([assay.flush(), observer.flush()]),
  };
}

/** @throws CommandFailure that names what would be right */
function readRules({ onUnavailable, readOnly, wait: seconds }: ProxyOptions) {
  const mode = MODES.find((known) => known === onUnavailable);
  if (mode === undefined)
    throw new CommandFailure(`--on-unavailable is one of ${MODES.join(', ')}`);
  if (!['govern', 'trust'].includes(readOnly))
    throw new CommandFailure('--read-only is govern or trust');
  const wait = Number(seconds) * 1000;
  if (!(wait >= 0)) throw new CommandFailure('--wait takes a number of seconds');
  return { wait, onUnavailable: mode, trustsReadOnly: readOnly === 'trust' };
}

/** What the proxy stands before. `otherwise` names a server that does not name itself; `scope` tells it from others. */
type Target = { otherwise: string; scope: string } & (
  | { kind: 'http'; port: number; upstream: string }
  | { kind: 'stdio'; command: string; args: string[] }
);

/** @throws CommandFailure without a server */
function readTarget(
  [command, ...args]: string[],
  { listen, upstream, server }: ProxyOptions,
): Target {
  if (listen !== undefined && upstream !== undefined) {
    const address = readAddress(upstream, '--upstream');
    const port = Number(listen);
    if (!/^\d+$/.test(listen) || port > 65_535)
      throw new CommandFailure('--listen takes a port, such as 4100; 0 finds a free one');
    const otherwise = new URL(address).host;
    return { kind: 'http', otherwise, scope: server ?? address, port, upstream: address };
  }
  if (listen === undefined && command !== undefined)
    // An argument may be a secret: no name is made of one.
    return {
      kind: 'stdio',
      otherwise: basename(command),
      scope: server ?? JSON.stringify([command, ...args]),
      command,
      args,
    };
  throw new CommandFailure('Give a command after --, or --listen with --upstream');
}

/** Runs until it is asked to end; resolves with false when the server ended first. */
async function runProxy(target: Target, openGate: () => ToolGate, io: Io): Promise<boolean> {
  if (target.kind === 'stdio') {
    const { runStdioProxy } = await import('../mcp/stdio-proxy.ts');
    return runStdioProxy(target, openGate(), io);
  }
  const { runHttpProxy } = await import('../mcp/http-proxy.ts');
  await runHttpProxy(target, openGate, io);
  return true;
}

/** Says who acts; Assay may be down, and the proxy starts all the same. */
async function describeKey(assay: Assay): Promise<string> {
  try {
    const { data } = await assay.send('GET', '/api/v1/auth/key', { timeout: 2_000 });
    const agent = data.agent as { name?: string } | null;
    return `agent ${toLine(agent?.name ?? 'as given')}, ${data.mayIngest === true ? 'may act' : 'MAY NOT ACT: the key only reads'}`;
  } catch (error) {
    return `NOT REACHED: ${toLine((error as Error).message)}`;
  }
}
