// Builds the page that verifies offline as one file: a copy of it needs nothing else.
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'vite';
import { CONSOLE_SOURCES, LICENCES } from './sources.ts';

const PAGE = 'verify.html';
/** The service puts the nonce of the response in its place; a saved copy keeps the one that it came with. */
const NONCE = 'NONCE_OF_THE_RESPONSE';
const POLICY = [
  "default-src 'none'",
  `script-src 'nonce-${NONCE}'`,
  `style-src 'nonce-${NONCE}'`,
  'img-src data:',
  'worker-src blob:',
  "connect-src 'none'",
  "form-action 'none'",
  "base-uri 'none'",
].join('; ');

/** Writes the page into the folder of the built console. */
export async function buildVerifier(folder: string): Promise<void> {
  const built = `${folder}-verify`;
  await build({
    root: CONSOLE_SOURCES,
    logLevel: 'warn',
    build: {
      outDir: built,
      emptyOutDir: true,
      cssCodeSplit: false,
      license: { fileName: LICENCES },
      rolldownOptions: {
        input: join(CONSOLE_SOURCES, PAGE),
        output: { codeSplitting: false },
      },
    },
  });
  writeFileSync(join(folder, PAGE), inlineFiles(readFileSync(join(built, PAGE), 'utf8'), built));
  renameSync(join(built, LICENCES), join(folder, LICENCES.replace('.json', '-verify.json')));
  rmSync(built, { recursive: true });
}

/** Replaces links to files by their contents. */
function inlineFiles(page: string, folder: string): string {
  const read = (path: string): string =>
    readFileSync(join(folder, path.replace(/^\/console\//, '')), 'utf8');
  return page
    .replace(
      /<script type="module"[^>]* src="([^"]+)"><\/script>/,
      (_, path: string) =>
        `<script type="module" nonce="${NONCE}">${escapeScript(read(path))}</script>`,
    )
    .replace(
      /<link rel="stylesheet"[^>]* href="([^"]+)">/,
      (_, path: string) => `<style nonce="${NONCE}">${read(path)}</style>`,
    )
    .replace(
      '<meta charset="utf-8" />',
      (found) => `${found}\n    <meta http-equiv="Content-Security-Policy" content="${POLICY}" />`,
    );
}

/** A script must not hold what would end it, or begin a comment of HTML. */
const escapeScript = (script: string): string =>
  script.replaceAll('</script', String.raw`<\/script`).replaceAll('<!--', String.raw`<\!--`);
