// The named steps of appending, folding, consuming, and of sealing logs, at which fault tests delay or kill the process.

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

/** A head of a log is signed, stored, about to be sent to a witness, signed by one but not yet noted. */
export const LOG_STEPS = [
  'head-signed',
  'head-stored',
  'witness-asked',
  'witness-answered',
] as const;

export type Step = (typeof STEPS)[number] | (typeof LOG_STEPS)[number];

/** Called and awaited at every step. */
export type Probe = (step: Step, organizationId: string) => void | Promise<void>;
