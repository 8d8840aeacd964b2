// The bound of a cache that grows as it is filled: the option `max` of lru-cache reserves room for all entries at once.

/** Options of lru-cache for at most `max` entries. */
export const limitEntries = (max: number): { maxSize: number; sizeCalculation: () => number } => ({
  maxSize: max,
  sizeCalculation: () => 1,
});
