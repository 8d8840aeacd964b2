// `npm run build:engines`: packs each engine alone, compiled, so that it is installed and used without the checkout.
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { createRequire } from 'node:module';
import { ENGINE_FOLDERS } from './engines.ts';
import { LICENCE_OF_NPM, readJson, ROOT } from '../release/owner.ts';
import { packForNpm, run } from '../release/run.ts';
import { copyReadme } from '../release/sdk-packages.ts';

interface EngineManifest {
  name: string;
  exports: Record<string, string>;
  sideEffects: false | string[];
  dependencies?: Record<string, string>;
}

const OF_ENGINES = '@assay/';

/** Compiles all engines at once, since they import each other's sources. */
function compileEngines(outdir: string): void {
  const options = {
    noEmit: false,
    declaration: true,
    rootDir: join(ROOT, 'packages'),
    outDir: outdir,
    typeRoots: [join(ROOT, 'node_modules/@types')],
  };
  const project = join(outdir, 'tsconfig.json');
  const config = {
    extends: join(ROOT, 'tsconfig.base.json'),
    compilerOptions: options,
    include: ENGINE_FOLDERS,
  };
  writeFileSync(project, JSON.stringify(config));
  const compiler = createRequire(import.meta.url).resolve('typescript/bin/tsc');
  run(process.execPath, [compiler, '-p', project]);
}

const toCompiled = (source: string, end: string): string =>
  source.replace(/^\.\/src\//, './dist/').replace(/\.ts$/, end);

/** The manifest of a package that has compiled modules, with their types, in place of sources. */
function describeEngine({ exports, sideEffects, dependencies, ...manifest }: EngineManifest) {
  const entries = Object.entries(exports).map(([entry, source]) => [
    entry,
    { types: toCompiled(source, '.d.ts'), default: toCompiled(source, '.js') },
  ]);
  const bundled = listEngines(dependencies);
  return {
    ...manifest,
    ...LICENCE_OF_NPM,
    files: ['dist', 'README.md'],
    sideEffects: sideEffects && sideEffects.map((source) => toCompiled(source, '.js')),
    exports: Object.fromEntries(entries) as object,
    dependencies: { ...dependencies, ...listInnerDependencies(bundled) },
    ...(bundled.length > 0 && { bundleDependencies: bundled }),
  };
}

const listEngines = (dependencies: Record<string, string> = {}): string[] =>
  Object.keys(dependencies).filter((name) => name.startsWith(OF_ENGINES));

const readEngine = (engine: string): EngineManifest =>
  readJson(join(ROOT, 'packages', engine, 'package.json'));

/** What engines within a package need of a registry, which npm installs for the package alone. */
function listInnerDependencies(bundled: readonly string[]): Record<string, string> {
  const lists = bundled.map((name) => {
    const { dependencies = {} } = readEngine(name.slice(OF_ENGINES.length));
    const own = Object.entries(dependencies).filter(([one]) => !one.startsWith(OF_ENGINES));
    return [...own, ...Object.entries(listInnerDependencies(listEngines(dependencies)))];
  });
  return Object.fromEntries(lists.flat());
}

/** Writes an engine into a folder. The engines that it needs are within it: no registry has them. */
function stageEngine(engine: string, compiled: string, stage: string): void {
  const source = join(ROOT, 'packages', engine);
  const manifest = readEngine(engine);
  mkdirSync(stage, { recursive: true });
  cpSync(join(compiled, engine, 'src'), join(stage, 'dist'), { recursive: true });
  // Files that modules look for beside themselves.
  cpSync(join(source, 'src'), join(stage, 'dist'), {
    recursive: true,
    filter: (path) => !path.endsWith('.ts'),
  });
  copyReadme(source, stage);
  writeFileSync(
    join(stage, 'package.json'),
    `${JSON.stringify(describeEngine(manifest), null, 2)}\n`,
  );
  for (const name of listEngines(manifest.dependencies))
    stageEngine(name.slice(OF_ENGINES.length), compiled, join(stage, 'node_modules', name));
}

/** Packs each engine into a folder. Returns the files, by the names of the packages. */
export function packEngines(outdir: string): Map<string, string> {
  const folder = mkdtempSync(join(tmpdir(), 'assay-engines-'));
  try {
    const compiled = join(folder, 'compiled');
    mkdirSync(compiled);
    mkdirSync(outdir, { recursive: true });
    compileEngines(compiled);
    const engines = ENGINE_FOLDERS.map((source) => basename(join(source, '..')));
    return new Map(
      engines.map((engine) => {
        const stage = join(folder, engine);
        stageEngine(engine, compiled, stage);
        return [`${OF_ENGINES}${engine}`, join(outdir, packForNpm(stage, outdir))];
      }),
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

if (process.argv[1] === import.meta.filename) {
  const outdir = process.argv[2] ?? join(ROOT, 'dist/engines');
  packEngines(outdir);
  process.stdout.write(`${readdirSync(outdir).join('\n')}\n`);
}
