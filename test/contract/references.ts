// Writes out what an API document refers to.

/** The value that nothing is known of, and that stays a reference: it would contain itself. */
const KEPT = '#/components/schemas/Json';

/** Copies a document with every reference replaced by what it means; members beside a reference take precedence. */
export function dereference(document: object): unknown {
  const plain = JSON.parse(JSON.stringify(document)) as Record<string, unknown>;
  const find = (reference: string): unknown =>
    reference
      .split('/')
      .slice(1)
      .reduce<unknown>((value, step) => (value as Record<string, unknown>)[step], plain);
  function writeOut(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(writeOut);
    if (typeof value !== 'object' || value === null) return value;
    const { $ref, ...members } = value as Record<string, unknown>;
    const own = Object.fromEntries(
      Object.entries(members).map(([name, member]) => [name, writeOut(member)]),
    );
    // A member of that name, as SCIM has it, is an object.
    if (typeof $ref !== 'string')
      return $ref === undefined ? own : { $ref: writeOut($ref), ...own };
    return $ref === KEPT ? value : { ...(writeOut(find($ref)) as object), ...own };
  }
  return writeOut(plain);
}
