// Where the programs are that `assay` starts: beside it where it is compiled, else as sources in the checkout.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Io } from './io.ts';

/** A program that is compiled, and its source, named from the root of the checkout. */
interface Program {
  built: string;
  source: string;
}

/** The words that start a program with Node.js, and the folder of the checkout where it is a source. */
interface Found {
  words: string[];
  checkout: string | null;
}

export function findProgram({ built, source }: Program): Found {
  const file = fileURLToPath(new URL(built, import.meta.url));
  if (existsSync(file)) return { words: [file], checkout: null };
  const root = new URL('../../../', import.meta.url);
  const words = ['--import', import.meta.resolve('tsx'), fileURLToPath(new URL(source, root))];
  return { words, checkout: fileURLToPath(root) };
}

/** Whether `assay` is a package of the project in this folder. Elsewhere npx would fetch whatever has that name. */
export const isInstalled = ({ cwd }: Pick<Io, 'cwd'>): boolean =>
  existsSync(join(cwd, 'node_modules/.bin/assay'));
