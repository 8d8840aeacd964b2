// Compares the styles of the component library that the console imports with the components that its scripts hold.
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { CONSOLE_SOURCES } from './sources.ts';

const STYLES = join(
  dirname(createRequire(join(CONSOLE_SOURCES, 'package.json')).resolve('@mantine/core/styles.css')),
  'styles',
);
/** What the library needs in every case. */
const ALWAYS = ['baseline.css', 'default-css-variables.css', 'global.css'];
/** The names of the library's classes are hashes, the same in scripts and styles. */
const CLASS = /\bm_[0-9a-f]{6,8}\b/g;

const findClasses = (text: string): Set<string> => new Set(text.match(CLASS) ?? []);

/** Returns the styles that belong to the components of these scripts. */
function listNeeded(scripts: string): string[] {
  const used = findClasses(scripts);
  return readdirSync(STYLES)
    .filter((file) => file.endsWith('.css') && !file.endsWith('.layer.css'))
    .filter(
      (file) =>
        ALWAYS.includes(file) ||
        [...findClasses(readFileSync(join(STYLES, file), 'utf8'))].some((name) => used.has(name)),
    );
}

function listImports(file: string): string[] {
  const text = readFileSync(join(CONSOLE_SOURCES, 'src', file), 'utf8');
  return [...text.matchAll(/styles\/([\w-]+\.css)/g)].map(([, name = '']) => name);
}

interface Imports {
  file: string;
  /** What else the page has. */
  others?: readonly string[];
}

function compareStyles(scripts: string, { file, others = [] }: Imports): void {
  const needed = listNeeded(scripts);
  const imported = listImports(file);
  const missing = needed.filter((name) => ![...imported, ...others].includes(name));
  const idle = imported.filter((name) => !needed.includes(name));
  if (missing.length > 0 || idle.length > 0)
    throw new Error(
      `${file} imports what is not used (${idle.join(', ')}) and misses what is (${missing.join(', ')})`,
    );
}

const LIBRARY = 'app/library.css';

/** Throws when a component would stand there without its styles, or styles without their component. */
export function checkLibraryStyles(folder: string): void {
  const assets = join(folder, 'assets');
  const scripts = readdirSync(assets).filter((name) => name.endsWith('.js'));
  const texts = scripts.map((name) => readFileSync(join(assets, name), 'utf8'));
  compareStyles(texts.join(), { file: LIBRARY });
  const page = readFileSync(join(folder, 'verify.html'), 'utf8');
  const ofPage = page.replaceAll(/<style.*?<\/style>/gs, '');
  compareStyles(ofPage, { file: 'verify/more-library.css', others: listImports(LIBRARY) });
}
