// The named steps of appending, folding and consuming, at which fault tests delay or kill the process.

export const STEPS = [
  'queued',
  'sealed',
  'before-insert',
  'inserted',
  'conflict',
  'unknown',
  'before-resend',
  'before-release',
  'acknowledged',
  'answered',
  'before-fold',
  'folded',
  'effects-written',
  'cursor-moved',
] as const;

export type Step = (typeof STEPS)[number];

/** Called and awaited at every step. */
export type Probe = (step: Step, organizationId: string) => void | Promise<void>;
