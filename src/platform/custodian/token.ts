// The token that a custodian behind an address asks for.
import { readFile } from 'node:fs/promises';

/** The token itself, or the path of a file that holds the current one. */
export type TokenSource = { value: string } | { path: string };

/** @throws Error of the file system */
export async function readCustodianToken(source: TokenSource): Promise<string> {
  return 'value' in source ? source.value : (await readFile(source.path, 'utf8')).trim();
}
