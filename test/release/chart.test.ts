// The packed chart: linted and rendered by Helm 3 and 4, valid for each Kubernetes from 1.28 to 1.37, and strict about its values.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, inject, test } from 'vitest';
import { ROOT } from '../../scripts/release/owner.ts';
import { findHelms, type Manifest, validateManifests } from './helm.ts';

const { first, version } = inject('packed');
const chart = join(first, `assay-chart-${version}.tgz`);
const values = join(import.meta.dirname, 'values');
const helms = findHelms();

describe.each(helms)('Helm %s', (_, helm) => {
  const run = (...args: string[]) => {
    const { status, stdout, stderr } = spawnSync(helm, args, { encoding: 'utf8' });
    if (status !== 0) throw new Error(`${stdout}${stderr}`);
    return stdout;
  };
  const render = (file: string, ...args: string[]): string =>
    run('template', 'assay', chart, '--namespace', 'gov', '-f', join(values, file), ...args);
  const renderOne = <T>(file: string, kind: string): T => {
    const found = validateManifests(render(file)).filter((manifest) => manifest.kind === kind);
    expect(found).toHaveLength(1);
    return found[0] as T;
  };

  test.each([
    ['existing-secret.yaml', ['Deployment', 'NetworkPolicy', 'Service', 'ServiceAccount']],
    ['own-secret.yaml', ['Deployment', 'NetworkPolicy', 'Secret', 'Service', 'ServiceAccount']],
    ['plain.yaml', ['Deployment', 'Service']],
    [
      'cloud.yaml',
      ['Deployment', 'NetworkPolicy', 'PodDisruptionBudget', 'Service', 'ServiceAccount'],
    ],
    [
      'production.yaml',
      [
        ...['Deployment', 'Ingress', 'NetworkPolicy', 'PodDisruptionBudget', 'Service'],
        ...['ServiceAccount', 'ServiceMonitor'],
      ],
    ],
  ])('%s: linted, rendered, and valid everywhere', (file, kinds) => {
    expect(run('lint', '--strict', chart, '-f', join(values, file))).toContain('0 chart(s) failed');
    const manifests = validateManifests(render(file));
    expect(manifests.map(({ kind }) => kind).sort()).toEqual(kinds);
    for (const { metadata } of manifests)
      expect(metadata.labels['app.kubernetes.io/version']).toBe(version);
    expect(new Set(manifests.map(({ metadata }) => metadata.name))).toEqual(new Set(['assay']));
  });

  test('all files of values are tried', () => {
    expect(readdirSync(values)).toHaveLength(5);
  });

  test('what Kubernetes would refuse is refused', () => {
    const wrong = render('plain.yaml').replace('containerPort: 3000', 'containerPort: "http"');
    expect(() => validateManifests(wrong)).toThrow(/1\.28 Deployment/);
    const unknown = render('plain.yaml').replace('containerPort:', 'containerport:');
    expect(() => validateManifests(unknown)).toThrow(/1\.28 Deployment/);
  });

  test('the pods are those of the image: one user, a root that is only read, all stopped before others start', () => {
    const { spec } = renderOne<Deployment>('production.yaml', 'Deployment');
    expect([spec.replicas, spec.strategy]).toEqual([3, { type: 'Recreate' }]);
    const pod = spec.template.spec;
    expect(pod).toMatchObject({
      automountServiceAccountToken: false,
      securityContext: { runAsNonRoot: true, runAsUser: 65532, fsGroup: 65532 },
    });
    const [container] = pod.containers;
    expect(container).toMatchObject({
      image: `assay:${version}`,
      securityContext: {
        readOnlyRootFilesystem: true,
        allowPrivilegeEscalation: false,
        capabilities: { drop: ['ALL'] },
      },
      livenessProbe: { httpGet: { path: '/health', port: 'http' } },
      readinessProbe: { httpGet: { path: '/ready', port: 'http' } },
      envFrom: [{ secretRef: { name: 'assay-settings' } }],
      volumeMounts: [{ mountPath: '/app/data' }, { mountPath: '/tmp' }],
    });
    expect(container.env).toContainEqual({ name: 'ASSAY_WORKERS', value: '2' });
  });

  test('an image is named by its digest, and a claim holds the data', () => {
    const { spec } = renderOne<Deployment>('cloud.yaml', 'Deployment');
    const { containers, volumes, imagePullSecrets } = spec.template.spec;
    expect(containers[0].image).toMatch(
      /^registry\.example\.com\/team\/assay@sha256:[0-9a-f]{64}$/,
    );
    expect(volumes[0]).toMatchObject({ persistentVolumeClaim: { claimName: 'assay-data' } });
    expect(imagePullSecrets).toEqual([{ name: 'registry' }]);
  });

  test('the secret has each character of its values', () => {
    const { stringData } = renderOne<{ stringData: object }>('own-secret.yaml', 'Secret');
    expect(stringData).toMatchObject({
      ASSAY_JWT_SECRET: 'a: "quoted" secret, of # all {{ signs }}',
      ASSAY_LEDGER_KEY: '0123456789',
      ASSAY_ENCRYPTION_KEY: 'true',
    });
  });

  test('the figures are asked for with the token of the secret', () => {
    const { spec } = renderOne<{ spec: object }>('production.yaml', 'ServiceMonitor');
    expect(spec).toMatchObject({
      endpoints: [
        {
          path: '/metrics',
          authorization: { credentials: { name: 'assay-settings', key: 'ASSAY_METRICS_TOKEN' } },
        },
      ],
    });
  });

  test.each(['docs/operate/deploy.md', 'charts/assay/README.md'])(
    '%s: its command is right',
    (file) => {
      const text = readFileSync(join(ROOT, file), 'utf8');
      const [, name = '', args = ''] =
        /^helm install assay \.\/(\S+) ((?:[^\\\n]|\\\n)*)$/m.exec(text) ?? [];
      const words = args.replaceAll('\\\n', ' ').trim().split(/\s+/);
      const rendered = run('template', 'assay', join(first, name), ...words);
      expect(validateManifests(rendered).map(({ kind }) => kind)).toContain('Deployment');
    },
  );

  test.each([
    ['no secret', ['--set', 'secrets.existing='], /secrets/],
    ['a secret of both kinds', ['--set', 'secrets.values.SMTP_URL=smtp://mail'], /secrets/],
    ['no word on who may register', ['--set', 'settings.REGISTRATION='], /REGISTRATION/],
    ['no instance', ['--set', 'replicas=0'], /replicas/],
    ['a setting that is no text', ['--set', 'settings.ASSAY_WORKERS=2'], /ASSAY_WORKERS/],
    ['a secret among the settings', ['--set', 'settings.ASSAY_JWT_SECRET=x'], /ASSAY_JWT_SECRET/],
    ['a port that the image does not have', ['--set-string', 'settings.PORT=80'], /PORT/],
    ['an unknown name', ['--set', 'replicaCount=2'], /replicaCount/],
    ['a digest that is none', ['--set', 'image.digest=latest'], /digest/],
    ['no host for the way in', ['--set', 'ingress.enabled=true'], /host/],
    ['too little time to end', ['--set', 'terminationGracePeriodSeconds=5'], /Grace/],
  ])('values with %s are refused, and named', (_name, args, pattern) => {
    expect(() => render('existing-secret.yaml', ...args)).toThrow(pattern);
  });
});

interface Deployment extends Omit<Manifest, 'spec'> {
  spec: {
    replicas: number;
    strategy: object;
    template: {
      spec: {
        containers: [{ image: string; env: object[] }];
        volumes: object[];
        imagePullSecrets: object[];
      };
    };
  };
}

test('each value is explained, and the schema knows it', () => {
  const source = join(import.meta.dirname, '../../charts/assay');
  const schema = JSON.parse(readFileSync(join(source, 'values.schema.json'), 'utf8')) as {
    properties: Record<string, { properties?: object }>;
  };
  const text = readFileSync(join(source, 'values.yaml'), 'utf8');
  const top = [...text.matchAll(/^(\w+):/gm)].map(([, name]) => name);
  expect(
    Object.keys(schema.properties)
      .filter((name) => name !== 'global')
      .sort(),
  ).toEqual(top.sort());
  const readme = readFileSync(join(source, 'README.md'), 'utf8');
  for (const name of top) expect(readme, name).toContain(`\`${name}`);
});
