// `assay agents`: lists, registers and retires agents.
import type { Command } from 'commander';
import type { Io } from '../io.ts';
import { renderTable, toLine } from '../output.ts';
import { connectPerson, openSession, readPages } from '../session.ts';

export function addAgentCommands(program: Command, io: Io): void {
  const agents = program.command('agents').description('agents of the organisation');
  agents
    .command('list', { isDefault: true })
    .description('list agents')
    .action(async (_, command: Command) => {
      const session = await openSession(io, command.optsWithGlobals());
      const found = await readPages(connectPerson(session), '/api/v1/agents');
      session.output.print(found, (rows) =>
        renderTable(
          ['ID', 'NAME', 'STATUS'],
          rows.map(({ _id, name, status }) => [String(_id), String(name), String(status ?? '')]),
        ),
      );
    });
  agents
    .command('create <name>')
    .description('register an agent; prints its key, which is shown once')
    .action(async (name: string, _, command: Command) => {
      const session = await openSession(io, command.optsWithGlobals());
      const { data } = await connectPerson(session).send('POST', '/api/v1/agents', {
        body: { name },
      });
      session.output.print(
        data,
        () => `${toLine(data.name)} ${String(data._id)}\n${String(data.apiKey)}`,
      );
    });
  agents
    .command('delete <id>')
    .description('retire an agent and its key')
    .action(async (id: string, _, command: Command) => {
      const session = await openSession(io, command.optsWithGlobals());
      const path = `/api/v1/agents/${encodeURIComponent(id)}`;
      const { data } = await connectPerson(session).send('DELETE', path);
      session.output.print(data, () => `Agent ${toLine(id)} is retired.`);
    });
}
