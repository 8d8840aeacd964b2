// Documents that are encoded already, sent as a section of their own: the driver does so itself for bulk writes, and has no public name for it (row ingest/R1).
import { createRequire } from 'node:module';

interface DocumentSequence {
  push(document: object, bytes: Uint8Array): number;
}

/** From the driver that Mongoose uses, which may not be the only one. */
const requireBeside = createRequire(createRequire(import.meta.url).resolve('mongoose'));
const driver = requireBeside('mongodb/lib/cmap/commands.js') as {
  DocumentSequence: new (member: string) => DocumentSequence;
};

const NONE = new Uint8Array();

/**
 * What a command holds in the place of an array of documents.
 * @param bytes all of them; `documents` is what observers of commands see
 */
export function documentSequence(
  member: string,
  documents: readonly object[],
  bytes: Uint8Array,
): object {
  const sequence = new driver.DocumentSequence(member);
  for (const [index, document] of documents.entries())
    sequence.push(document, index === 0 ? bytes : NONE);
  return sequence;
}
