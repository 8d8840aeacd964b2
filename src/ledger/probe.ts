// The named steps of an append, where fault tests may stop, delay or kill the process.

export const STEPS = [
  'queued',
  'sealed',
  'before-insert',
  'inserted',
  'collided',
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

/** Called at every step; nothing goes on before it resolves. */
export type Probe = (step: Step, organizationId: string) => void | Promise<void>;
