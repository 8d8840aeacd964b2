// What the owner decides about a release, read from owner.json and nowhere else (docs/operate/release.md).
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export const ROOT = join(import.meta.dirname, '../..');

interface Owner {
  /** An expression of SPDX; `UNLICENSED`: none is chosen yet, and registries refuse the packages. */
  licence: string;
  /** Names on npm, on the index of Python, and of the image, perhaps with a registry. */
  names: { service: string; sdk: string; python: string; image: string };
}

export const readJson = <T>(path: string): T => JSON.parse(readFileSync(path, 'utf8')) as T;

export const OWNER = readJson<Owner>(join(import.meta.dirname, 'owner.json'));

/** Members of each manifest of npm: no registry takes a private package. */
export const LICENCE_OF_NPM = {
  license: OWNER.licence,
  ...(OWNER.licence === 'UNLICENSED' && { private: true }),
};
