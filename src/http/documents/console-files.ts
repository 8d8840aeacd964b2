// The built console in memory: a few files that are served as they are, so that no request reaches the disk by a name of its own.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { extname, join } from 'node:path';

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};
/** Encodings that the build prepares, the better one first. */
const ENCODINGS = { br: '.br', gzip: '.gz' } as const;
export type PreparedEncoding = keyof typeof ENCODINGS;

export interface ConsoleFile {
  type: string;
  bytes: Buffer;
  encoded: ReadonlyMap<PreparedEncoding, Buffer>;
}

export interface ConsoleFiles {
  /** Pages by file name, such as `index.html`. */
  pages: ReadonlyMap<string, string>;
  /** Files by name, each with a hash of its contents in the name. */
  assets: ReadonlyMap<string, ConsoleFile>;
}

/** Returns a function that reads the files when it is called first, and after every build; null: nothing is built. */
export function createConsoleReader(folder: string): () => ConsoleFiles | null {
  let files: ConsoleFiles | null = null;
  let readAt = -1;
  return () => {
    const builtAt = readBuildTime(folder);
    if (builtAt === null) return null;
    if (builtAt !== readAt) files = readFiles(folder);
    readAt = builtAt;
    return files;
  };
}

function readBuildTime(folder: string): number | null {
  return statSync(join(folder, 'index.html'), { throwIfNoEntry: false })?.mtimeMs ?? null;
}

function readFiles(folder: string): ConsoleFiles {
  const pages = readdirSync(folder).filter((name) => name.endsWith('.html'));
  const assets = join(folder, 'assets');
  const names = existsSync(assets) ? readdirSync(assets) : [];
  const served = names.filter((name) => Object.hasOwn(TYPES, extname(name)));
  return {
    pages: new Map(pages.map((name) => [name, readFileSync(join(folder, name), 'utf8')])),
    assets: new Map(served.map((name) => [name, readAsset(join(assets, name))])),
  };
}

function readAsset(path: string): ConsoleFile {
  const encoded = new Map<PreparedEncoding, Buffer>();
  for (const [encoding, suffix] of Object.entries(ENCODINGS))
    if (existsSync(path + suffix))
      encoded.set(encoding as PreparedEncoding, readFileSync(path + suffix));
  return { type: TYPES[extname(path)] ?? '', bytes: readFileSync(path), encoded };
}
