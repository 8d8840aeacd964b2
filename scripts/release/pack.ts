// `npm run release:pack`: writes the packages of a release with their digests. The same commit gives the same bytes.
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packChart } from './chart.ts';
import { packImage } from './image/image.ts';
import { readJson, ROOT } from './owner.ts';
import { run } from './run.ts';
import { packPython, packTypeScript } from './sdk-packages.ts';
import { packService } from './service-package.ts';

const outdir = process.argv[2] ?? join(ROOT, 'dist/release');
const { version } = readJson<{ version: string }>(join(ROOT, 'package.json'));
const release = { version, revision: run('git', ['rev-parse', 'HEAD']).trim() };
const SUMS = 'SHA256SUMS';

rmSync(outdir, { recursive: true, force: true });
mkdirSync(outdir, { recursive: true });
// Times in archives are those of the commit, and no mask of the user decides about modes.
process.env.SOURCE_DATE_EPOCH ??= run('git', ['log', '-1', '--format=%ct']).trim();
process.umask(0o022);
const stage = mkdtempSync(join(tmpdir(), 'assay-release-'));
try {
  const service = join(stage, 'service');
  await packService(service, outdir);
  packTypeScript(join(stage, 'sdk-typescript'), outdir);
  packPython(join(stage, 'sdk-python'), outdir);
  await packChart(join(outdir, `assay-chart-${version}.tgz`));
  const image = await packImage(service, join(outdir, `assay-${version}-image.tar`), release);
  process.stdout.write(`image ${image.digest}\n`);
} finally {
  rmSync(stage, { recursive: true, force: true });
}
const digests = readdirSync(outdir)
  .sort()
  .map((name) => ({ name, bytes: readFileSync(join(outdir, name)) }));
const lines = digests.map(
  ({ name, bytes }) => `${createHash('sha256').update(bytes).digest('hex')}  ${name}\n`,
);
writeFileSync(join(outdir, SUMS), lines.join(''));
for (const { name, bytes } of digests)
  process.stdout.write(`${(bytes.length / 1024 / 1024).toFixed(2).padStart(7)} MiB  ${name}\n`);
