// `assay keys`: lists, makes and revokes workspace keys.
import type { Command } from 'commander';
import type { Io } from '../io.ts';
import { renderTable, toLine } from '../output.ts';
import { connectPerson, openSession, readPages } from '../session.ts';

export function addKeyCommands(program: Command, io: Io): void {
  const keys = program.command('keys').description('API keys of the organisation');
  keys
    .command('list', { isDefault: true })
    .description('list keys')
    .action(async (_, command: Command) => {
      const session = await openSession(io, command.optsWithGlobals());
      const found = await readPages(connectPerson(session), '/api/v1/auth/keys');
      session.output.print(found, (rows) =>
        renderTable(
          ['ID', 'NAME', 'PREFIX', 'LAST USED'],
          rows.map((key) => [
            String(key._id),
            String(key.name),
            String(key.prefix),
            String(key.lastUsedAt ?? 'never'),
          ]),
        ),
      );
    });
  keys
    .command('create <name>')
    .description('make a key; it is shown once')
    .option('--read-only', 'a key that posts nothing')
    .action(async (name: string, options: { readOnly?: boolean }, command: Command) => {
      const session = await openSession(io, command.optsWithGlobals());
      const body = options.readOnly ? { name, scope: { readOnly: true } } : { name };
      const { data } = await connectPerson(session).send('POST', '/api/v1/auth/keys', { body });
      session.output.print(data, () => String(data.key));
    });
  keys
    .command('revoke <id>')
    .description('revoke a key')
    .action(async (id: string, _, command: Command) => {
      const session = await openSession(io, command.optsWithGlobals());
      const path = `/api/v1/auth/keys/${encodeURIComponent(id)}`;
      const { data } = await connectPerson(session).send('DELETE', path);
      session.output.print(data, () => `Key ${toLine(id)} is revoked.`);
    });
}
