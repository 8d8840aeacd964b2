// What can go wrong, each with its own class: an agent tells a refusal from a time-out and from a failure.
import type { Json } from './json.ts';

export interface ErrorDetails {
  /** The service's stable code, or one of this package in the same form. */
  code?: string;
  /** The HTTP status; absent when no answer arrived. */
  status?: number;
  requestId?: string | undefined;
  traceId?: string | undefined;
  limits?: readonly Limit[] | undefined;
  cause?: unknown;
}

/** A limit of a policy that the action would pass, as the service says it. */
export interface Limit {
  /** The id of the policy, and the place of the limit among its actions. */
  policy: string;
  at: number;
  /** `block`, or `flag_for_review`: a person may let it pass. */
  type: string;
  /** `acts`, or the field that is summed. */
  of: string;
  per: string;
  window: string;
  most: number;
  /** Null: what the action adds cannot be read. */
  left: number | null;
  /** When there is more, ISO 8601; null: never. */
  freesAt: string | null;
}

/** The base of all errors of this package. */
export class AssayError extends Error {
  readonly code: string;
  readonly status: number | undefined;
  readonly requestId: string | undefined;
  readonly traceId: string | undefined;
  /** The limits of policies that the action would pass; empty: none is named. */
  readonly limits: readonly Limit[];
  /** Whether the same call may succeed later. */
  readonly retryable: boolean = false;

  constructor(
    message: string,
    { code = 'ASSAY', status, requestId, traceId, limits = [], cause }: ErrorDetails = {},
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = new.target.name;
    this.code = code;
    this.status = status;
    this.requestId = requestId;
    this.traceId = traceId;
    this.limits = limits;
  }
}

/** A policy forbids the action. */
export class Blocked extends AssayError {
  readonly policy: string | undefined;

  constructor(message: string, details: ErrorDetails & { policy?: string | undefined } = {}) {
    super(message, { code: 'SVC_BLOCKED_BY_POLICY', ...details });
    this.policy = details.policy;
  }
}

/** What a person stopped, as the service says it. */
export interface Halt {
  scope: string;
  /** `watched`: a person has to approve each action. */
  state: string;
  /** ISO 8601. */
  since: string;
  /** That of its entry in the record. */
  sequence: number;
  /** Null: the answer names none. */
  reason: string | null;
}

/** A person stopped the agent, or more. An approval that stands stays usable, for when it is resumed. */
export class Halted extends Blocked {
  /** Null: the answer does not describe it. */
  readonly halt: Halt | null;

  constructor(
    message: string,
    details: ConstructorParameters<typeof Blocked>[1] & { halt?: Halt | null } = {},
  ) {
    super(message, { code: 'HALTED', ...details });
    this.halt = details.halt ?? null;
  }
}

/** A person rejected the action. */
export class Rejected extends AssayError {
  /** The person's own words; null: there are none. */
  readonly reason: string | null;

  constructor(message: string, details: ErrorDetails & { reason?: string | null } = {}) {
    super(message, details);
    this.reason = details.reason ?? null;
  }
}
/** The hold ended without a verdict. This is no denial by a person. */
export class Expired extends AssayError {}
/** The agent, or a person for it, withdrew the request. */
export class Withdrawn extends AssayError {}
/** This call stopped waiting: the decision itself may be open still. */
export class NotDecided extends AssayError {}
/** The action about to run is not the one that was asked for. */
export class ActionChanged extends AssayError {}
/** The approval was used before; the action may have been done. */
export class AlreadyExecuted extends AssayError {}
/** The key is unknown, revoked, or may not do this. */
export class Unauthorised extends AssayError {}
/** The request is malformed; the message says what would be right. */
export class Invalid extends AssayError {}

/** The service cannot be reached, does not answer in time, or what answers is not the service. */
export class Unavailable extends AssayError {
  override readonly retryable = true;
  /** Whether nothing answers: only then may `onUnavailable` let a call run. */
  readonly isAway: boolean;
  /** Milliseconds after which the service asks to be tried again; 0: it does not say. */
  readonly retryAfter: number;

  constructor(
    message: string,
    details: ErrorDetails & { isAway?: boolean; retryAfter?: number } = {},
  ) {
    super(message, details);
    this.isAway = details.isAway ?? false;
    this.retryAfter = details.retryAfter ?? 0;
  }
}

/** The action waits for a person. It can be serialised, kept, and given to `assay.resume` by any process. */
export class Held extends AssayError {
  readonly held: HeldAction;

  constructor(held: HeldAction, limits?: readonly Limit[]) {
    super(`A person has to decide about ${held.action.tool}`, {
      code: 'HELD',
      traceId: held.traceId,
      limits,
    });
    this.held = held;
  }

  toJSON(): HeldAction {
    return this.held;
  }
}

/** All that a later process needs to carry a held action out. `action` is the raw one: it may hold personal data. */
export interface HeldAction {
  traceId: string;
  action: { tool: string; arguments: Json; [member: string]: Json };
  binding: { salt: string; commitment: string } | null;
  /** When the hold ends; ISO 8601. */
  expiresAt: string | null;
  /** Where a person decides. */
  review: string | null;
  /** The function got other arguments than these: `resume` needs the mapping of the guard. */
  isMapped?: true;
}
