// `assay halt`, `assay halts` and `assay resume`: stop agents, see what goes on, and let them act again with a second person.
import { type Command, Option } from 'commander';
import type { Assay, JsonObject } from '../../../sdk-typescript/src/index.ts';
import type { Io } from '../io.ts';
import { CommandFailure, renderTable, toLine } from '../output.ts';
import { connectPerson, openSession, readPages } from '../session.ts';

interface Target {
  agent?: string;
  workspace?: string;
  session?: string;
  all?: boolean;
}

interface HaltOptions extends Target {
  reason?: string;
  watch?: boolean;
}

interface ResumeOptions {
  to: string;
  confirm?: string;
}

/** Halts of which the list reads what is under way. */
const DETAILS_MAX = 20;

export function addHaltCommands(program: Command, io: Io): void {
  program
    .command('halt')
    .description('stop an agent, or more: from now on nothing of it is let go on')
    .option('--agent <name>', 'an agent, by id or name')
    .option('--workspace <name>', 'a workspace with all its agents, by id or name')
    .option('--session <trace>', 'one session, by the id of one of its decisions')
    .option('--all', 'everything in the organisation')
    .option('--reason <text>', 'why; agents and people read it')
    .option('--watch', 'stop nothing, but have a person decide each action')
    .action(async (options: HaltOptions, command: Command) => {
      const session = await openSession(io, command.optsWithGlobals());
      const client = connectPerson(session);
      const body: JsonObject = {
        ...(await findTarget(client, options)),
        state: options.watch ? 'watched' : 'halted',
        ...(options.reason !== undefined && { reason: options.reason }),
      };
      const { data, status } = await client.send('POST', '/api/v1/halts', { body });
      session.output.print(data, () => renderHalted(data, status === 201));
    });
  program
    .command('halts')
    .description('list what is stopped, and what goes on because it had begun before')
    .option('--ended', 'also what was resumed')
    .action(async ({ ended }: { ended?: boolean }, command: Command) => {
      const session = await openSession(io, command.optsWithGlobals());
      const client = connectPerson(session);
      const path = `/api/v1/halts${ended ? '' : '?binding=true'}`;
      const found = await readPages(client, path);
      const binding = found.filter(({ state }) => state !== 'resumed').slice(0, DETAILS_MAX);
      const details = await Promise.all(binding.map(({ id }) => readHalt(client, id)));
      const rows = found.map((halt) => details.find(({ id }) => id === halt.id) ?? halt);
      session.output.print(rows, renderHalts);
    });
  program
    .command('resume <halt>')
    .description('ask that it goes on; a second person confirms with the digest')
    .addOption(
      new Option('--to <state>', 'watched: a person decides each action')
        .choices(['watched', 'resumed'])
        .default('resumed'),
    )
    .option('--confirm <digest>', 'confirm what another person asked for')
    .action(async (id: string, { to, confirm }: ResumeOptions, command: Command) => {
      const session = await openSession(io, command.optsWithGlobals());
      const path = `/api/v1/halts/${encodeURIComponent(id)}/resume`;
      const body: JsonObject = { to, ...(confirm !== undefined && { confirm }) };
      const { data } = await connectPerson(session).send('POST', path, { body });
      session.output.print(data, renderResumed);
    });
}

async function readHalt(client: Assay, id: unknown): Promise<JsonObject> {
  return (await client.send('GET', `/api/v1/halts/${encodeURIComponent(String(id))}`)).data;
}

/** Returns what one of the options names. @throws CommandFailure unless it is one */
async function findTarget(client: Assay, { agent, workspace, session, all }: Target) {
  const given = [agent, workspace, session, all].filter((value) => value !== undefined);
  if (given.length !== 1)
    throw new CommandFailure('Say what to stop: one of --agent, --workspace, --session and --all');
  if (agent !== undefined) return { scope: 'agent', target: agent };
  if (session !== undefined) return { scope: 'session', target: session };
  if (workspace === undefined) return { scope: 'organization' };
  const { data } = await client.send('GET', '/api/v1/workspaces');
  const found = (data.items as JsonObject[]).find(
    ({ _id, name }) => _id === workspace || name === workspace,
  );
  if (!found) throw new CommandFailure(`There is no workspace ${toLine(workspace)}`);
  return { scope: 'workspace', target: String(found._id) };
}

const SCOPES: Readonly<Record<string, string>> = {
  session: 'Session',
  agent: 'Agent',
  workspace: 'Workspace',
  person: 'All for',
};

/** Names what is stopped, such as `Agent till`. */
function describeTarget({ scope, name, target }: JsonObject): string {
  const what = SCOPES[String(scope)];
  return what === undefined ? 'Everything' : `${what} ${toLine(name ?? target)}`;
}

function renderHalted(halt: JsonObject, isNew: boolean): string {
  const { id, state, since, reason } = halt;
  const why = reason === null ? '' : `: ${toLine(reason, 500)}`;
  const effect =
    state === 'watched' ? 'A person decides each action.' : 'Nothing is let go on from now on.';
  return [
    `${describeTarget(halt)} is ${String(state)}${isNew ? '' : ' already'}, since ${String(since)}${why}`,
    effect,
    ...renderUnderWay(halt),
    `To let it go on: assay resume ${String(id)}`,
  ].join('\n');
}

/** Says what had begun before, and is not stopped. */
function renderUnderWay({ underWay }: JsonObject): string[] {
  const { total, items } = underWay as { total: number; items: JsonObject[] };
  if (total === 0) return ['Under way: nothing.'];
  const shown = items.map(
    ({ traceId, agentName, agentId, claimedAt }) =>
      `  ${toLine(traceId)}  ${toLine(agentName ?? agentId)}  claimed ${toLine(claimedAt)}`,
  );
  const more = total > items.length ? [`  and ${total - items.length} more`] : [];
  return [`Under way, goes on and cannot be stopped: ${total}`, ...shown, ...more];
}

function renderHalts(halts: readonly JsonObject[]): string {
  if (halts.length === 0) return 'Nothing is halted.';
  const table = renderTable(
    ['HALT', 'WHAT', 'STATE', 'SINCE', 'UNDER WAY', 'REASON'],
    halts.map((halt) => [
      String(halt.id),
      describeTarget(halt),
      String(halt.state),
      String(halt.since),
      (halt.underWay as { total: number } | undefined)?.total,
      halt.reason === null ? '' : toLine(halt.reason),
    ]),
  );
  const parts = halts.flatMap((halt) => {
    const { underWay, resumption } = halt;
    const isActing = ((underWay as { total: number } | undefined)?.total ?? 0) > 0;
    const lines = [
      ...(isActing ? renderUnderWay(halt) : []),
      ...(resumption ? renderRequest(halt) : []),
    ];
    return lines.length === 0 ? [] : ['', `${describeTarget(halt)}`, ...lines];
  });
  return [table, ...parts].join('\n');
}

function renderResumed(halt: JsonObject): string {
  if (halt.resumption) return [`${describeTarget(halt)}`, ...renderRequest(halt)].join('\n');
  return halt.state === 'watched'
    ? `${describeTarget(halt)} is watched: a person decides each action.`
    : `${describeTarget(halt)} goes on.`;
}

/** Says what a second person has to run. */
function renderRequest({ id, state, resumption }: JsonObject): string[] {
  const { to, digest, ownerMayConfirmAt, expiresAt } = resumption as JsonObject;
  return [
    `stays ${String(state)} until a second person confirms. They run:`,
    `  assay resume ${String(id)} --to ${String(to)} --confirm ${String(digest)}`,
    `If an owner asked, the same one may confirm from ${String(ownerMayConfirmAt)} on.`,
    `The request ends ${String(expiresAt)}.`,
  ];
}
