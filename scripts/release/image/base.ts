// What an image has below the application: the C and C++ libraries of this machine's Debian, and Node.js.
import { createHash } from 'node:crypto';
import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../run.ts';
import { digestFile } from './layers.ts';

/** Node.js as npm has it for each processor; the digests are those of these packages. */
export const NODE = {
  version: '24.22.3',
  integrity: {
    x64: 'sha512-KHsob+Fv9YerATvYujMbiyJqnRCvLtrcr/eTNqRqiOSGp97EOiRP1yP47+knGgQ/xnc3XY8xzkW587dlZzNqRA==',
    arm64:
      'sha512-IZx0J52/1NDwAsY2iyWR9nlPIYuYviTWetjj8+ElvYQh2+XRhLfCfkbFEF/2O5vGI2hcUbyPNHV+nz342FbJXw==',
  } as Partial<Record<string, string>>,
};

/** What Node.js is linked to, and the texts of the licences. There is no shell. */
const LIBRARIES = ['base-files', 'gcc-12-base', 'libc6', 'libgcc-s1', 'libstdc++6'];

/** Who the service runs as. */
export const USER = 65532;
const FILES = {
  'etc/passwd': `root:x:0:0:root:/root:/sbin/nologin\nassay:x:${USER}:${USER}::/app:/sbin/nologin\n`,
  'etc/group': `root:x:0:\nassay:x:${USER}:\n`,
  'etc/nsswitch.conf': 'hosts: files dns\n',
};

/** A package of others that went into an image; `digest` is that of its file, SHA-256 in hexadecimal. */
export interface Part {
  purl: string;
  name: string;
  version: string;
  digest: string;
}

/** Unpacks the libraries into `root`. @throws Error where there is no Debian */
export async function addLibraries(root: string, downloads: string): Promise<Part[]> {
  mkdirSync(downloads, { recursive: true });
  run('apt-get', ['download', '--quiet', ...LIBRARIES], { cwd: downloads });
  const distribution = /^VERSION_ID="?([^"\n]*)/m.exec(
    readFileSync('/etc/os-release', 'utf8'),
  )?.[1];
  mkdirSync(join(root, 'var/lib/dpkg/status.d'), { recursive: true });
  const parts: Part[] = [];
  for (const file of readdirSync(downloads).sort())
    parts.push(await unpackDebian(root, join(downloads, file), distribution ?? ''));
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(root, name), text);
  return parts;
}

/** Unpacks a package, and leaves its description where scanners look for it. */
async function unpackDebian(root: string, file: string, distribution: string): Promise<Part> {
  run('dpkg-deb', ['--extract', file, root]);
  const description = run('dpkg-deb', ['--field', file]);
  const read = (field: string): string =>
    new RegExp(`^${field}: (.*)$`, 'm').exec(description)?.[1] ?? '';
  const [name, version, processor] = [read('Package'), read('Version'), read('Architecture')];
  writeFileSync(join(root, 'var/lib/dpkg/status.d', name), description);
  const query = `arch=${processor}&distro=debian-${distribution}`;
  const purl = `pkg:deb/debian/${encodeURIComponent(name)}@${encodeURIComponent(version)}?${query}`;
  return { purl, name, version, digest: await digestFile(file) };
}

/** Unpacks Node.js into `root`. @throws Error where its package is not the one that was chosen */
export async function addNode(root: string, downloads: string): Promise<Part> {
  mkdirSync(downloads, { recursive: true });
  const name = `node-linux-${process.arch}`;
  const packed = run('npm', ['pack', '--silent', '--prefer-offline', `${name}@${NODE.version}`], {
    cwd: downloads,
  });
  const file = join(downloads, packed.trim());
  const integrity = `sha512-${createHash('sha512').update(readFileSync(file)).digest('base64')}`;
  if (integrity !== NODE.integrity[process.arch])
    throw new Error(`${name} ${NODE.version} has another digest than it must have: ${integrity}`);
  run('tar', ['--extract', '--file', file, '--directory', downloads]);
  const licence = join(root, 'usr/share/doc/nodejs');
  for (const folder of [join(root, 'usr/bin'), licence]) mkdirSync(folder, { recursive: true });
  cpSync(join(downloads, 'package/bin/node'), join(root, 'usr/bin/node'));
  chmodSync(join(root, 'usr/bin/node'), 0o755);
  cpSync(join(downloads, 'package/LICENSE'), join(licence, 'copyright'));
  const purl = `pkg:npm/${name}@${NODE.version}`;
  return { purl, name, version: NODE.version, digest: await digestFile(file) };
}
