// The packages of the SDKs: one for npm, and a wheel and its sources for Python.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { LICENCE_OF_NPM, OWNER, readJson, ROOT } from './owner.ts';
import { packForNpm, run } from './run.ts';

/** Builds wheels; the same version makes the same bytes. */
const HATCHLING = 'hatchling==1.33.0';

/** Copies a README. What it links to in the checkout is not in the package. */
export function copyReadme(from: string, to: string): void {
  const text = readFileSync(join(from, 'README.md'), 'utf8');
  writeFileSync(join(to, 'README.md'), text.replace(/\[([^\]]+)\]\(\.\.\/[^)]*\)/g, '$1'));
}

/** Returns the name of the file. */
export function packTypeScript(stage: string, outdir: string): string {
  const source = join(ROOT, 'packages/sdk-typescript');
  run(process.execPath, ['build.mjs'], { cwd: source });
  mkdirSync(stage);
  cpSync(join(source, 'dist'), join(stage, 'dist'), { recursive: true });
  copyReadme(source, stage);
  const {
    private: _,
    scripts: __,
    ...manifest
  } = readJson<Record<string, unknown>>(join(source, 'package.json'));
  const packed = { ...manifest, name: OWNER.names.sdk, ...LICENCE_OF_NPM };
  writeFileSync(join(stage, 'package.json'), `${JSON.stringify(packed, null, 2)}\n`);
  return packForNpm(stage, outdir);
}

/** The wheel, and what pip installs beside it. */
interface Wheel {
  file: string;
  requirements: string[];
}

export function packPython(stage: string, outdir: string): Wheel {
  const source = join(ROOT, 'packages/sdk-python');
  mkdirSync(stage);
  cpSync(join(source, 'src'), join(stage, 'src'), {
    recursive: true,
    filter: (path) => !path.endsWith('__pycache__') && !path.endsWith('.egg-info'),
  });
  copyReadme(source, stage);
  const project = readFileSync(join(source, 'pyproject.toml'), 'utf8');
  writeFileSync(join(stage, 'pyproject.toml'), describeProject(project));
  run(prepareBuilder(), ['-m', 'hatchling', 'build', '-d', outdir], { cwd: stage });
  const file = readdirSync(outdir).find((name) => name.endsWith('.whl'))!;
  const [, requirements = '[]'] = /^dependencies = (\[[^\]]*\])/m.exec(project) ?? [];
  return { file, requirements: JSON.parse(requirements) as string[] };
}

/** @throws Error where a line is missing that the owner's choices stand in */
function describeProject(project: string): string {
  const { licence, names } = OWNER;
  const expression = licence === 'UNLICENSED' ? 'LicenseRef-UNLICENSED' : licence;
  const lines = { name: names.python, license: expression };
  return Object.entries(lines).reduce((text, [name, value]) => {
    const line = new RegExp(`^${name} = ".*"$`, 'm');
    if (!line.test(text)) throw new Error(`pyproject.toml has no line ${name}`);
    return text.replace(line, `${name} = ${JSON.stringify(value)}`);
  }, project);
}

/** Returns the interpreter of an environment that builds packages; made once. */
function prepareBuilder(): string {
  const folder = join(ROOT, 'node_modules/.cache/assay-release-python');
  const python = join(folder, 'bin/python');
  const done = join(folder, HATCHLING);
  if (existsSync(done)) return python;
  run('python3', ['-m', 'venv', '--clear', folder]);
  run(python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', HATCHLING]);
  writeFileSync(done, '');
  return python;
}
