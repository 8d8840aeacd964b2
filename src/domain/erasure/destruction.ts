// The statement of a custodian that the keys of epochs are destroyed: the text of a signed note (formats.md).
import { decodeBase64 } from '@assay/tlog';

export interface Destruction {
  /** The name of the installation's heads log. */
  origin: string;
  /** The last destroyed epoch: it and all before it are. */
  epoch: number;
  destroyedAt: Date;
  /** SHA-256 of the key store's rows before the destruction, none of which these epochs seal. */
  rowsDigest: Uint8Array;
}

const FORMAT = 'assay-destruction/v1';
const DIGEST_BYTES = 32;
const EPOCH = /^epoch ([1-9]\d{0,8})$/;
const DESTROYED = /^destroyed (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)$/;

export function formatDestruction({ origin, epoch, destroyedAt, rowsDigest }: Destruction): string {
  const time = `${destroyedAt.toISOString().slice(0, 19)}Z`;
  const digest = Buffer.from(rowsDigest).toString('base64');
  return `${FORMAT}\n${origin}\nepoch ${epoch}\ndestroyed ${time}\n${digest}\n`;
}

/** Parses the text of a statement; null: malformed. */
export function parseDestruction(text: string): Destruction | null {
  const [format, origin = '', epochLine = '', timeLine = '', digestLine = '', ...more] =
    text.split('\n');
  const epoch = Number(EPOCH.exec(epochLine)?.[1]);
  const destroyedAt = new Date(DESTROYED.exec(timeLine)?.[1] ?? '');
  const rowsDigest = decodeBase64(digestLine);
  if (format !== FORMAT || origin === '' || more.join() !== '') return null;
  if (Number.isNaN(epoch) || Number.isNaN(destroyedAt.getTime())) return null;
  return rowsDigest?.length === DIGEST_BYTES ? { origin, epoch, destroyedAt, rowsDigest } : null;
}
