// What is compiled into programs from packages of others, with the texts of their licences.
import { appendFileSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Metafile } from 'esbuild';
import { readJson, ROOT } from './owner.ts';

/** A package of others; the members are those that Vite writes. */
export interface Notice {
  name: string;
  version: string;
  /** An expression of SPDX, where the package gives one. */
  identifier: string | null;
  /** The licence; empty where the package has none. */
  text: string;
}

/** The folder of a package, from a file in it. */
const IN_PACKAGE = /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/;

/** Returns the packages of which something stands in what was compiled. */
export function listCompiled(metafiles: readonly Metafile[]): Notice[] {
  const files = metafiles
    .flatMap(({ outputs }) => Object.values(outputs))
    .flatMap(({ inputs }) => Object.entries(inputs))
    .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
    .map(([path]) => path.replace(/^[^:]*:/, ''));
  const folders = new Set(files.map((path) => IN_PACKAGE.exec(path)?.[0]));
  return [...folders].filter((folder) => folder !== undefined).map(readNotice);
}

interface Manifest {
  name: string;
  version: string;
  license?: string;
}

function readNotice(folder: string): Notice {
  const path = join(ROOT, folder);
  const { name, version, license = null } = readJson<Manifest>(join(path, 'package.json'));
  const texts = readdirSync(path)
    .filter((file) => /^(licen[cs]e|copying|notice)([.-].*)?$/i.test(file))
    .sort()
    .map((file) => readFileSync(join(path, file), 'utf8').trim());
  return { name, version, identifier: license, text: texts.join('\n\n') };
}

/** Joins lists: each version of a package once, in order. */
export function joinNotices(...lists: readonly (readonly Notice[])[]): Notice[] {
  const byName = new Map(
    lists.flat().map((notice) => [`${notice.name} ${notice.version}`, notice]),
  );
  return [...byName.keys()].sort().map((key) => byName.get(key)!);
}

const LINE = '-'.repeat(80);

export function formatNotices(notices: readonly Notice[]): string {
  const parts = notices.map(
    ({ name, version, identifier, text }) =>
      `${LINE}\n${name} ${version} (${identifier ?? 'see below'})\n\n${text || 'It has no text of its own.'}\n`,
  );
  return `Packages of others are compiled into these programs. Their licences:\n\n${parts.join('\n')}`;
}

/** Adds the notices to a program that runs alone, as a comment at its end. */
export function appendNotices(file: string, notices: readonly Notice[]): void {
  appendFileSync(file, `/*\n${formatNotices(notices).replaceAll('*/', '* /')}*/\n`);
}
