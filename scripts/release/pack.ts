// `npm run release:pack`: writes all files of a release. The same commit, and the same key, give the same bytes.
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packChart } from './chart.ts';
import { finishRelease } from './finish.ts';
import { packImage } from './image/image.ts';
import { writeInstructions } from './instructions.ts';
import { OWNER, readJson, ROOT } from './owner.ts';
import { run } from './run.ts';
import {
  describeImage,
  describeNpm,
  describePackage,
  describeService,
  listCompiledIn,
  listRanges,
  writeBill,
} from './sbom.ts';
import { packPython, packTypeScript } from './sdk-packages.ts';
import { packService } from './service-package.ts';
import { readReleaseKey } from './signing.ts';

const outdir = process.argv[2] ?? join(ROOT, 'dist/release');
const { version } = readJson<{ version: string }>(join(ROOT, 'package.json'));
const revision = run('git', ['rev-parse', 'HEAD']).trim();
const isChanged = run('git', ['status', '--porcelain']) !== '';
const key = readReleaseKey();

rmSync(outdir, { recursive: true, force: true });
mkdirSync(outdir, { recursive: true });
// Times in archives are those of the commit, and no mask of the user decides about modes.
process.env.SOURCE_DATE_EPOCH ??= run('git', ['log', '-1', '--format=%ct']).trim();
process.umask(0o022);
const stage = mkdtempSync(join(tmpdir(), 'assay-release-'));
try {
  await pack();
} finally {
  rmSync(stage, { recursive: true, force: true });
}
for (const name of readdirSync(outdir))
  process.stdout.write(
    `${(statSync(join(outdir, name)).size / 1024 / 1024).toFixed(2).padStart(7)} MiB  ${name}\n`,
  );
process.stdout.write(
  key === null
    ? 'Not signed: ASSAY_RELEASE_KEY is not set.\n'
    : `Signed with the key ${key.kid} (SHA-256 of its SPKI).\n`,
);
if (isChanged) process.stdout.write(`It has changes that are not in the commit ${revision}.\n`);
process.stdout.write('INSTALL.md says how to check each file.\n');

async function pack(): Promise<void> {
  const at = (name: string): string => join(outdir, name);
  const folder = join(stage, 'service');
  const service = await packService(folder, outdir);
  const sdk = packTypeScript(join(stage, 'sdk-typescript'), outdir);
  const python = packPython(join(stage, 'sdk-python'), outdir);
  await packChart(at(`assay-chart-${version}.tgz`));
  const file = `assay-${version}-image.tar`;
  const image = await packImage(folder, at(file), { version, revision });
  const { names } = OWNER;
  const own = describeNpm(names.service, version);
  const bill = describeService(folder, own, listCompiledIn(service.notices));
  const verifier = describeNpm(`${names.service}-verify-bundle`, version);
  const wheel = { ...verifier, name: names.python, purl: `pkg:pypi/${names.python}@${version}` };
  writeBill(at(service.file), bill);
  writeBill(at(file), describeImage(bill, image.digest, image.parts));
  writeBill(at('verify-bundle.mjs'), describePackage(verifier, listCompiledIn(service.verifier)));
  writeBill(at(sdk), describePackage(describeNpm(names.sdk, version), []));
  writeBill(at(python.file), describePackage(wheel, listRanges(python.requirements)));
  const files = { service: service.file, sdk, wheel: python.file };
  writeInstructions(at('INSTALL.md'), { ...image, ...files, version, image: names.image }, key);
  await finishRelease(outdir, { version, revision, isChanged, parts: image.parts }, key);
}
