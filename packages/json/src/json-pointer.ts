// JSON Pointers (RFC 6901): the path of a value in a document, as one text.

const SPECIAL = /[~/]/;

/** Writes a path as a pointer: `['a/b', 0]` is `/a~1b/0`. */
export function formatPointer(path: readonly (string | number)[]): string {
  return path.map((part) => `/${escapePart(part)}`).join('');
}

/** Escapes one key or index for its place in a pointer. */
export function escapePart(part: string | number): string {
  const text = String(part);
  return SPECIAL.test(text) ? text.replaceAll('~', '~0').replaceAll('/', '~1') : text;
}

/** Reads the keys and indexes of a pointer, as texts. */
export function parsePointer(pointer: string): string[] {
  return pointer.split('/').map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
}
