// Mutants that change nothing anybody can see; each was looked at.

interface Equivalent {
  file: string;
  original: string;
  replacement: string;
  reason: string;
}

export const EQUIVALENT: readonly Equivalent[] = [];
