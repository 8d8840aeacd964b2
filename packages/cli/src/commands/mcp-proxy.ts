// `assay mcp-proxy`: puts Assay before any MCP server, without a line of code.
import { randomUUID } from 'node:crypto';
import { basename } from 'node:path';
import type { Command } from 'commander';
import { Assay, type OnUnavailable } from '../../../sdk-typescript/src/index.ts';
import { FileJournal } from '../../../sdk-typescript/src/journal.ts';
import { runHttpProxy } from '../mcp/http-proxy.ts';
import { runStdioProxy } from '../mcp/stdio-proxy.ts';
import { ToolGate } from '../mcp/tool-gate.ts';
import { CommandFailure, toLine } from '../output.ts';
import { type CommonOptions, connectAgent, openSession } from '../session.ts';

interface ProxyOptions extends CommonOptions {
  agent?: string;
  wait: string;
  readOnly: string;
  onUnavailable: string;
  journal: string;
  listen?: string;
  upstream?: string;
}

const MODES: readonly OnUnavailable[] = ['block', 'allow-read-only', 'allow'];

export function addMcpProxyCommand(program: Command): void {
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
    .option('--listen <port>', 'serve streamable HTTP on this port of 127.0.0.1')
    .option('--upstream <address>', 'the MCP server to pass on to')
    .action(async (words: string[], options: ProxyOptions, command: Command) => {
      const session = await openSession(command.optsWithGlobals());
      const { onUnavailable } = options;
      if (!MODES.includes(onUnavailable as OnUnavailable))
        throw new CommandFailure(`--on-unavailable is one of ${MODES.join(', ')}`);
      if (!['govern', 'trust'].includes(options.readOnly))
        throw new CommandFailure('--read-only is govern or trust');
      const wait = Number(options.wait) * 1000;
      if (!(wait >= 0)) throw new CommandFailure('--wait takes a number of seconds');
      connectAgent(session, options.agent);
      const { url, key, agent = options.agent } = session.profile;
      const connect = (mode: 'enforce' | 'observe'): Assay =>
        new Assay({
          url,
          key: key!,
          ...((options.agent ?? agent) !== undefined && { agent: (options.agent ?? agent)! }),
          mode,
          onUnavailable: onUnavailable as OnUnavailable,
          journal: new FileJournal(options.journal),
          onError: (error) => process.stderr.write(`assay: ${toLine((error as Error).message)}\n`),
        });
      const [assay, observer] = [connect('enforce'), connect('observe')];
      const [program, ...args] = words;
      const isHttp = options.listen !== undefined;
      if (isHttp ? options.upstream === undefined : program === undefined)
        throw new CommandFailure('Give a command after --, or --listen with --upstream');
      const server = isHttp ? new URL(options.upstream!).host : basename(args.at(-1) ?? program!);
      const openGate = (): ToolGate =>
        new ToolGate({
          assay,
          observer,
          server,
          session: randomUUID(),
          wait,
          trustsReadOnly: options.readOnly === 'trust',
        });
      process.stderr.write(
        `assay: ${toLine(server)} behind ${url}; ${await describeKey(assay)}; without Assay: ${onUnavailable}\n`,
      );
      if (isHttp)
        await runHttpProxy({ port: Number(options.listen), upstream: options.upstream! }, openGate);
      else
        process.exitCode = (await runStdioProxy({ command: program!, args }, openGate())) ? 0 : 1;
      await observer.flush().catch(() => undefined);
      process.exit();
    });
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
