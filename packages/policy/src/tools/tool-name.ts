// Names of tools as facts and catalogues compare them.

/** Converts `deleteUser` and `Delete-User` to `delete_user`, and `Delete the user` to `delete_the_user`. */
export function toSnakeCase(name: string): string {
  const parted = name
    .replace(/(\p{Ll}|\d)(\p{Lu})/gu, '$1_$2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1_$2');
  return parted
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '_')
    .replace(/^_|_$/g, '');
}
