// What says of a release what it is and who made it: digests, provenance, signatures, and all of it in one archive.
import { createWriteStream, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { canonicalize } from '@assay/json';
import { signDsse, STATEMENT_TYPE } from '../../src/domain/provenance/dsse.ts';
import { NODE, type Part } from './image/base.ts';
import { digestFile, PLAIN, readArchive } from './image/layers.ts';
import type { ReleaseKey } from './signing.ts';

export interface Release {
  version: string;
  /** The commit, and whether what was packed has changes that are not in it. */
  revision: string;
  isChanged: boolean;
  /** Packages of others that are not in the lock of npm. */
  parts: readonly Part[];
}

const SUMS = 'SHA256SUMS';

/** Describes, signs where there is a key, and archives what stands in a folder. */
export async function finishRelease(
  outdir: string,
  release: Release,
  key: ReleaseKey | null,
): Promise<void> {
  const provenance = `assay-${release.version}.provenance`;
  const statement = formatProvenance(await digestAll(outdir), release);
  writeFileSync(join(outdir, `${provenance}.json`), statement);
  if (key) writeFileSync(join(outdir, `${provenance}.dsse.json`), await signDsse(statement, key));
  await writeSums(join(outdir, SUMS), await digestAll(outdir), key);
  const archive = join(outdir, `assay-${release.version}-offline.tar`);
  // Not into the folder that is read.
  const written = `${outdir}.tar`;
  await archiveFolder(outdir, written, basename(archive, '.tar'));
  renameSync(written, archive);
  const ofArchive = [{ name: basename(archive), sha256: await digestFile(archive) }];
  await writeSums(`${archive}.sha256`, ofArchive, key);
}

interface Digest {
  name: string;
  sha256: string;
}

const digestAll = (folder: string): Promise<Digest[]> =>
  Promise.all(
    readdirSync(folder)
      .sort()
      .map(async (name) => ({ name, sha256: await digestFile(join(folder, name)) })),
  );

/** Writes digests as `sha256sum` reads them, and their signature as `openssl` and `cosign` do. */
async function writeSums(
  file: string,
  digests: readonly Digest[],
  key: ReleaseKey | null,
): Promise<void> {
  const text = digests.map(({ name, sha256 }) => `${sha256}  ${name}\n`).join('');
  writeFileSync(file, text);
  if (key) writeFileSync(`${file}.sig`, `${key.signFile(readFileSync(file))}\n`);
}

/** An in-toto statement with the provenance of SLSA 1: which bytes were made from which. */
function formatProvenance(
  digests: readonly Digest[],
  { version, revision, isChanged, parts }: Release,
): string {
  return canonicalize({
    _type: STATEMENT_TYPE,
    subject: digests.map(({ name, sha256 }) => ({ name, digest: { sha256 } })),
    predicateType: 'https://slsa.dev/provenance/v1',
    predicate: {
      buildDefinition: {
        buildType: 'urn:assay:release-pack:v1',
        externalParameters: {
          version,
          sourceDateEpoch: Number(process.env.SOURCE_DATE_EPOCH),
          ...(isChanged && { uncommittedChanges: true }),
        },
        internalParameters: { node: process.version, image: `node ${NODE.version}` },
        resolvedDependencies: [
          { name: 'source', digest: { gitCommit: revision } },
          ...parts.map(({ purl, digest }) => ({ uri: purl, digest: { sha256: digest } })),
        ],
      },
      runDetails: { builder: { id: 'urn:assay:builder:owner' } },
    },
  });
}

async function archiveFolder(folder: string, file: string, prefix: string): Promise<void> {
  await pipeline(readArchive({ folder, modes: PLAIN, prefix }), createWriteStream(file));
}
