// `assay review`: what waits for a person, and a person's verdict about exactly what was shown.
import type { Command } from 'commander';
import type { Json, JsonObject } from '../../../sdk-typescript/src/index.ts';
import type { Io } from '../io.ts';
import { CommandFailure, renderTable, toLine, toLines } from '../output.ts';
import { connectPerson, openSession, type Session } from '../session.ts';

interface VerdictOptions {
  edits?: string;
  reason?: string;
  digest?: string;
}

export function addReviewCommands(program: Command, io: Io): void {
  const review = program.command('review').description('decisions that wait for a person');
  review
    .command('list', { isDefault: true })
    .description('list what waits')
    .action(async (_, command: Command) => {
      const session = await openSession(io, command.optsWithGlobals());
      session.output.print(await connectPerson(session).reviews.list(), (items) =>
        renderTable(
          ['TRACE', 'PRIORITY', 'AGENT', 'ACTION', 'DEADLINE'],
          items.map((item) => [
            String(item.traceId),
            String(item.priority ?? ''),
            toLine(item.agentIdStr ?? '', 20),
            toLine(item.action, 50),
            String(item.expiresAt ?? item.slaDeadline ?? ''),
          ]),
        ),
      );
    });
  review
    .command('show <id>')
    .description('show one: the action, why it waits, and the digest that a verdict binds')
    .action(async (id: string, _, command: Command) => {
      const session = await openSession(io, command.optsWithGlobals());
      session.output.print(await findItem(session, id), renderItem);
    });
  for (const [name, decision] of [
    ['approve', 'approve'],
    ['reject', 'reject'],
  ] as const)
    review
      .command(`${name} <id>`)
      .description(`${name} one; with the digest that was shown, nothing else is decided`)
      .option('--reason <text>', 'why')
      .option(
        '--edits <json>',
        'approve with these changes: a JSON Merge Patch of the shown action',
      )
      .option('--digest <hex>', 'digest of the action that was looked at; else that of this moment')
      .action(async (id: string, options: VerdictOptions, command: Command) => {
        const session = await openSession(io, command.optsWithGlobals());
        const item = await findItem(session, id);
        const verdict: JsonObject = { decision };
        const digest = options.digest ?? item.actionDigest;
        if (typeof digest === 'string') verdict.actionDigest = digest;
        if (options.reason !== undefined) verdict.reason = options.reason;
        if (options.edits !== undefined) verdict.edits = parseEdits(options.edits);
        const decided = await connectPerson(session).reviews.decide(String(item._id), verdict);
        session.output.print(decided, () => `${toLine(item.action)}: ${toLine(decided.status)}`);
      });
}

function parseEdits(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch (error) {
    throw new CommandFailure(`--edits is no JSON: ${(error as Error).message}`);
  }
}

/** Finds an item by its id or its decision's `traceId`. */
async function findItem(session: Session, id: string): Promise<JsonObject> {
  const items = await connectPerson(session).reviews.list();
  const found = items.find((item) => item._id === id || item.traceId === id);
  if (!found)
    throw new CommandFailure(
      `Nothing that waits is named ${toLine(id)}: assay review lists what waits`,
    );
  return found;
}

function renderItem(item: JsonObject): string {
  const { payload, context } = item as { payload?: JsonObject; context?: JsonObject };
  const lines = [
    `Decision   ${toLine(item.traceId)}`,
    `Agent      ${toLine(item.agentIdStr ?? '')}`,
    `Confidence ${toLine(item.confidence)}`,
    `Deadline   ${toLine(item.expiresAt ?? item.slaDeadline ?? 'none')}`,
    `Digest     ${toLine(item.actionDigest ?? 'none')}`,
    '',
    toLines(payload ?? item.action),
  ];
  if (context !== undefined) lines.push('', toLines(context));
  return lines.join('\n');
}
