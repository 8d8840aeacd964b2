// `assay policies`: policies as files, one a policy: pulled, changed, tested, and pushed.
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import type { Assay, JsonObject } from '../../../sdk-typescript/src/index.ts';
import type { Io } from '../io.ts';
import { CommandFailure, EXIT, renderTable, toLine } from '../output.ts';
import { connectPerson, openSession, readPages } from '../session.ts';

/** What a file holds: the contents of a policy, without what the service counts and dates. */
const CONTENTS = ['name', 'description', 'enabled', 'priority', 'conditions', 'actions', 'observe'];

interface PolicyFile {
  file: string;
  policy: JsonObject;
}

export function addPolicyCommands(program: Command, io: Io): void {
  const policies = program.command('policies').description('policies as files');
  policies
    .command('pull [folder]')
    .description('write every policy to a file of its own')
    .action(async (folder = 'policies', _, command: Command) => {
      const session = await openSession(io, command.optsWithGlobals());
      const found = await readPages(connectPerson(session), '/api/v1/policies');
      await mkdir(resolve(io.cwd, folder), { recursive: true });
      const files: string[] = [];
      for (const policy of found) files.push(await writePolicy(io, folder, policy));
      session.output.print(files, () => files.join('\n'));
    });
  policies
    .command('push [folder]')
    .description('make or change the policies of the files; a policy that has no file stays')
    .action(async (folder = 'policies', _, command: Command) => {
      const session = await openSession(io, command.optsWithGlobals());
      const client = connectPerson(session);
      const stored = await readPages(client, '/api/v1/policies');
      const results = [];
      for (const { file, policy } of await readPolicies(io, folder))
        results.push({ file, name: policy.name, result: await pushPolicy(client, stored, policy) });
      session.output.print(results, (rows) =>
        renderTable(
          ['FILE', 'RESULT'],
          rows.map(({ file, result }) => [file, result]),
        ),
      );
    });
  policies
    .command('test [folder]')
    .description('run the stored tests of each policy on its file; exit with 1 when one fails')
    .action(async (folder = 'policies', _, command: Command) => {
      const session = await openSession(io, command.optsWithGlobals());
      const client = connectPerson(session);
      const stored = await readPages(client, '/api/v1/policies');
      const runs = [];
      for (const { file, policy } of await readPolicies(io, folder)) {
        const id = stored.find(({ name }) => name === policy.name)?._id;
        if (id === undefined) continue;
        const { data } = await client.send('POST', `/api/v1/policies/${String(id)}/run-tests`, {
          body: { policy },
        });
        for (const result of data.results as JsonObject[]) runs.push({ file, ...result });
      }
      session.output.print(runs, (rows) =>
        renderTable(
          ['FILE', 'TEST', 'RESULT'],
          rows.map((row) => [
            row.file,
            toLine((row as JsonObject).name),
            hasPassed(row) ? 'passed' : 'FAILED',
          ]),
        ),
      );
      if (!runs.every(hasPassed)) io.exitCode = EXIT.refused;
    });
}

const hasPassed = (run: JsonObject): boolean => run.passed === true;

async function pushPolicy(
  client: Assay,
  stored: readonly JsonObject[],
  policy: JsonObject,
): Promise<string> {
  const existing = stored.find(({ name }) => name === policy.name);
  if (!existing) {
    await client.send('POST', '/api/v1/policies', { body: policy });
    return 'made';
  }
  if (JSON.stringify(toContents(existing)) === JSON.stringify(toContents(policy)))
    return 'unchanged';
  const path = `/api/v1/policies/${String(existing._id)}`;
  await client.send('PATCH', path, { body: { observe: false, ...policy } });
  return 'changed';
}

function toContents(policy: JsonObject): JsonObject {
  return Object.fromEntries(
    CONTENTS.flatMap((key) => {
      const value = policy[key];
      const isSaid = value !== undefined && (key !== 'observe' || value === true);
      return isSaid ? [[key, value]] : [];
    }),
  );
}

async function writePolicy({ cwd }: Io, folder: string, policy: JsonObject): Promise<string> {
  const name =
    String(policy.name)
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-|-$/g, '') || 'policy';
  const file = join(folder, `${name}.${String(policy._id).slice(-6)}.json`);
  await writeFile(resolve(cwd, file), `${JSON.stringify(toContents(policy), null, 2)}\n`);
  return file;
}

async function readPolicies({ cwd }: Io, folder: string): Promise<PolicyFile[]> {
  const names = await readdir(resolve(cwd, folder)).catch(() => {
    throw new CommandFailure(`There is no folder ${folder}: assay policies pull makes it`);
  });
  const files = names.filter((name) => name.endsWith('.json')).sort();
  return Promise.all(
    files.map(async (name) => {
      const file = join(folder, name);
      try {
        return {
          file,
          policy: JSON.parse(await readFile(resolve(cwd, file), 'utf8')) as JsonObject,
        };
      } catch (error) {
        throw new CommandFailure(`${file}: ${(error as Error).message}`);
      }
    }),
  );
}
