// How a workspace tells sessions apart.

/** `agent`: all that an agent does is one session, so that it cannot leave its past behind by another name. */
export const SESSION_NAMES = ['name', 'agent'] as const;

export interface SessionRules {
  by: (typeof SESSION_NAMES)[number];
  /** Hours without a decision after which a session begins again. */
  idleHours: number;
}

export const DEFAULT_SESSION_RULES: SessionRules = { by: 'name', idleHours: 24 };

/** Hours: 30 days. */
export const IDLE_HOURS_MAX = 720;
