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

/** Throws when a component would stand there without its styles, or styles without their component. */
export function checkLibraryStyles(assets: string): void {
  const scripts = readdirSync(assets).filter((name) => name.endsWith('.js'));
  const used = findClasses(scripts.map((name) => readFileSync(join(assets, name), 'utf8')).join());
  const imports = readFileSync(join(CONSOLE_SOURCES, 'src/app/library.css'), 'utf8');
  const imported = new Set(
    [...imports.matchAll(/styles\/([\w-]+\.css)/g)].map(([, file = '']) => file),
  );
  const needed = readdirSync(STYLES)
    .filter((file) => file.endsWith('.css') && !file.endsWith('.layer.css'))
    .filter(
      (file) =>
        ALWAYS.includes(file) ||
        [...findClasses(readFileSync(join(STYLES, file), 'utf8'))].some((name) => used.has(name)),
    );
  const missing = needed.filter((file) => !imported.has(file));
  const idle = [...imported].filter((file) => !needed.includes(file));
  if (missing.length > 0 || idle.length > 0)
    throw new Error(
      `library.css imports what is not used (${idle.join(', ')}) and misses what is (${missing.join(', ')})`,
    );
}
