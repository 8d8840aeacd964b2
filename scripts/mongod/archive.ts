// The archive of an official MongoDB server. Touched: modules below `lib/util` of mongodb-memory-server-core, which it does not export.

export interface OfficialArchive {
  /** Path below the mirror's URL. */
  path: string;
  /** Unpacks the archive into the folder; resolves with the path of mongod. */
  extract(archive: string): Promise<string>;
}

/**
 * Names the archive of a version for this machine.
 * @throws Error when mongodb-memory-server-core has no such modules: then another source of mongod is to be taken
 */
export async function resolveArchive(version: string, folder: string): Promise<OfficialArchive> {
  const { DryMongoBinary } = await import('mongodb-memory-server-core');
  const { MongoBinaryDownloadUrl } =
    await import('mongodb-memory-server-core/lib/util/MongoBinaryDownloadUrl.js');
  const { MongoBinaryDownload } =
    await import('mongodb-memory-server-core/lib/util/MongoBinaryDownload.js');
  const wanted = await DryMongoBinary.generateOptions({ version, downloadDir: folder });
  const naming = new MongoBinaryDownloadUrl(wanted);
  const download = new MongoBinaryDownload({ ...wanted, downloadDir: folder });
  if (typeof naming.getArchiveName !== 'function' || typeof download.extract !== 'function')
    throw new Error('mongodb-memory-server-core names and unpacks no archives in this version');
  return {
    path: `${naming.platform}/${await naming.getArchiveName()}`,
    extract: (archive) => download.extract(archive),
  };
}
