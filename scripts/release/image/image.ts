// The image of the service, written without a daemon: an OCI layout in one file, for whoever loads or pushes it.
import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { cp, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { OWNER } from '../owner.ts';
import { run } from '../run.ts';
import { addLibraries, addNode, type Part, USER } from './base.ts';
import { type Layer, PLAIN, readArchive, storeLayer } from './layers.ts';

interface Descriptor {
  mediaType: string;
  digest: string;
  size: number;
}

export interface Image {
  /** Of the manifest: what `image@sha256:...` names. */
  digest: string;
  /** Of Node.js, packages and programs, in hexadecimal. */
  layers: string[];
  parts: Part[];
}

interface Release {
  version: string;
  /** The commit. */
  revision: string;
}

const PROCESSORS: Partial<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' };

/** Builds the image of a packed service, a folder that has its `package.json` and a lock, into a file. */
export async function packImage(service: string, file: string, release: Release): Promise<Image> {
  const stage = `${service}-image`;
  const [layout, blobs] = [join(stage, 'layout'), join(stage, 'layout/blobs/sha256')];
  await mkdir(blobs, { recursive: true });
  const [libraries, node] = [join(stage, 'libraries'), join(stage, 'node')];
  const parts = [
    ...(await addLibraries(libraries, join(stage, 'debian'))),
    await addNode(node, join(stage, 'download')),
  ];
  const [packages, application, data] = await placeService(service, stage);
  // The last changes most often.
  const layers = await Promise.all([
    storeLayer(blobs, { folder: libraries }),
    ...[node, packages, application].map((folder) => storeLayer(blobs, { folder, modes: PLAIN })),
    storeLayer(blobs, { folder: data, path: 'app/data', owner: USER }),
  ]);
  const digest = await describeImage(layout, layers, release);
  await pipeline(readArchive({ folder: layout }), createWriteStream(file));
  const own = layers.slice(1, 4).map((layer) => layer.digest.replace('sha256:', ''));
  return { digest, layers: own, parts };
}

/** Puts packages, programs and data where they stand in the image; returns the roots of these layers. */
async function placeService(service: string, stage: string): Promise<[string, string, string]> {
  const roots = ['packages', 'application', 'data'].map((name) => join(stage, name));
  const [packages, application, data] = roots as [string, string, string];
  const folder = join(packages, 'app');
  await mkdir(folder, { recursive: true });
  const manifests = ['package.json', 'npm-shrinkwrap.json'];
  for (const name of manifests) await cp(join(service, name), join(folder, name));
  run('npm', ['ci', '--silent', '--omit=dev', '--prefer-offline'], { cwd: folder });
  for (const name of manifests) await rm(join(folder, name));
  await cp(service, join(application, 'app'), { recursive: true });
  await mkdir(join(data, 'app/data'), { recursive: true });
  return [packages, application, data];
}

/** Writes configuration, manifest and index; returns the digest of the manifest. */
async function describeImage(
  layout: string,
  layers: readonly Layer[],
  release: Release,
): Promise<string> {
  const blobs = join(layout, 'blobs/sha256');
  const configuration = await storeJson(blobs, describeProcess(layers, release), 'config');
  const descriptors = layers.map(({ diffId: _, ...descriptor }) => descriptor);
  const manifest = await storeJson(
    blobs,
    { config: configuration, layers: descriptors, annotations: describeRelease(release) },
    'manifest',
  );
  const name = `${OWNER.names.image}:${release.version}`;
  const annotations = {
    'io.containerd.image.name': name,
    'org.opencontainers.image.ref.name': release.version,
  };
  const files = {
    'oci-layout': { imageLayoutVersion: '1.0.0' },
    'index.json': { schemaVersion: 2, manifests: [{ ...manifest, annotations }] },
    // Docker before version 25 reads this one.
    'manifest.json': [
      {
        Config: toPath(configuration),
        RepoTags: [name],
        Layers: descriptors.map(toPath),
      },
    ],
  };
  for (const [path, content] of Object.entries(files))
    await writeFile(join(layout, path), JSON.stringify(content));
  return manifest.digest;
}

const toPath = ({ digest }: Descriptor): string => `blobs/${digest.replace(':', '/')}`;

async function storeJson(
  blobs: string,
  content: object,
  kind: 'config' | 'manifest',
): Promise<Descriptor> {
  const mediaType = `application/vnd.oci.image.${kind}.v1+json`;
  const bytes = Buffer.from(
    JSON.stringify(kind === 'manifest' ? { schemaVersion: 2, mediaType, ...content } : content),
  );
  const hex = createHash('sha256').update(bytes).digest('hex');
  await writeFile(join(blobs, hex), bytes);
  return { mediaType, digest: `sha256:${hex}`, size: bytes.length };
}

const describeRelease = ({ version, revision }: Release): Record<string, string> => ({
  'org.opencontainers.image.title': OWNER.names.service,
  'org.opencontainers.image.version': version,
  'org.opencontainers.image.revision': revision,
  'org.opencontainers.image.licenses': OWNER.licence,
});

/** How the service runs where nobody says otherwise. */
function describeProcess(layers: readonly Layer[], release: Release): object {
  const architecture = PROCESSORS[process.arch];
  if (architecture === undefined) throw new Error(`there is no image for ${process.arch}`);
  const created = new Date(Number(process.env.SOURCE_DATE_EPOCH) * 1000).toISOString();
  return {
    created,
    architecture,
    os: 'linux',
    config: {
      User: `${USER}:${USER}`,
      ExposedPorts: { '3000/tcp': {} },
      Env: [
        'PATH=/usr/bin',
        'NODE_ENV=production',
        'ASSAY_HOST=0.0.0.0',
        'PORT=3000',
        'ASSAY_DATA_DIR=/app/data',
      ],
      Entrypoint: ['/usr/bin/node'],
      Cmd: ['--max-semi-space-size=128', 'dist/server.js'],
      Volumes: { '/app/data': {} },
      WorkingDir: '/app',
      Labels: describeRelease(release),
    },
    rootfs: { type: 'layers', diff_ids: layers.map(({ diffId }) => diffId) },
    history: layers.map(() => ({ created, created_by: 'npm run release:pack' })),
  };
}
