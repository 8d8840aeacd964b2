// Paths of fields as a catalogue writes them: names, in which a star stands for any name or item.

const isAlike = (wanted: readonly string[], path: readonly string[], length: number): boolean => {
  for (let at = 0; at < length; at++)
    if (wanted[at] !== '*' && wanted[at] !== path[at]) return false;
  return true;
};

/** Whether a path lies at the field, or below it. */
export const isBelow = (field: readonly string[], path: readonly string[]): boolean =>
  field.length <= path.length && isAlike(field, path, field.length);

/** Whether one of the two lies at the other or below it: what is not taken apart may hold the field. */
export const isSamePath = (field: readonly string[], path: readonly string[]): boolean =>
  isAlike(field, path, Math.min(field.length, path.length));
