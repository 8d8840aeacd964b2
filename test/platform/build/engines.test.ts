// An engine that is imported for nothing is left out of a program, so that its bytes do not depend on who reached it first.
import { build } from 'esbuild';
import { expect, test } from 'vitest';
import { ENGINE_SOURCES, enginesInside } from '../../../scripts/build/engines.ts';

/** Loading it runs it. */
const PROGRAMS: readonly string[] = ['@assay/verifier/main'];
const names = [...ENGINE_SOURCES.keys()].filter((name) => !PROGRAMS.includes(name));

test.each(names)('nothing is left of %s where nothing of it is used', async (name) => {
  const { outputFiles } = await build({
    stdin: { contents: `import '${name}';`, resolveDir: import.meta.dirname },
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    packages: 'external',
    plugins: [enginesInside],
    logLevel: 'silent',
  });
  expect(outputFiles[0]?.text.trim()).toBe('');
});
