// Defines every error code of the contract with status and meaning (document 1, section 7), and the error class.
import { truncate } from '@assay/json';

interface Entry {
  http: number;
  meaning: string;
}

/** Stable machine codes. Codes are added, never renamed; the `*_FAILED` code of a resource is 500. */
export const registry = {
  // 400
  VALIDATION_ERROR: { http: 400, meaning: 'Body or query failed validation' },
  SVC_VALIDATION_FAILED: { http: 400, meaning: 'The trace or agent failed validation' },
  SVC_UNKNOWN_SCHEMA_VERSION: { http: 400, meaning: 'Unknown schema version' },
  INVALID_INPUT: { http: 400, meaning: 'A field is malformed' },
  INVALID_OPERATION: { http: 400, meaning: 'The operation is not allowed in the current state' },
  INVALID_IDS: {
    http: 400,
    meaning: 'The list of ids is missing, empty, too long or contains an invalid id',
  },
  EDITS_MASKED: {
    http: 400,
    meaning:
      'The edits hold a marker of masked data, or data that would be masked when stored: they could not be executed',
  },
  DENIAL_NOT_REQUESTABLE: { http: 400, meaning: 'The decision of this denial was not held' },
  DENIAL_MISMATCH: {
    http: 400,
    meaning: 'The access request names no denial, or another one than that of its question',
  },
  INVALID_STATUS: { http: 400, meaning: 'Not a status of this resource' },
  INVALID_TIMESTAMP: {
    http: 400,
    meaning: 'payload.timestamp is missing, or neither ISO 8601 nor epoch milliseconds',
  },
  INVALID_PLAN: { http: 400, meaning: 'The plan cannot be purchased' },
  INVALID_TOKEN: { http: 400, meaning: 'The one-time token is unknown, used or revoked' },
  ALREADY_MEMBER: {
    http: 400,
    meaning: 'The person is already a member or has a pending invitation',
  },
  INVITE_ALREADY_USED: { http: 400, meaning: 'The invitation has already been used' },
  DUPLICATE: { http: 400, meaning: 'A webhook with the same URL and events exists' },
  SSRF_BLOCKED: { http: 400, meaning: 'The destination address is not allowed' },
  TEST_FAILED: { http: 400, meaning: 'At least one action of the alert rule failed' },
  NO_PAYMENT_CUSTOMER: { http: 400, meaning: 'The organisation has no payment customer' },
  MCP_READ_FAILED: { http: 400, meaning: 'The resource could not be read' },
  MCP_TOOL_FAILED: { http: 400, meaning: 'The tool could not be called' },
  FRIA_TRANSITION_FAILED: { http: 400, meaning: 'The assessment cannot move to that status' },
  KMS_ROTATION_UNSUPPORTED: { http: 400, meaning: 'The key provider does not support rotation' },
  KMS_NOT_CONFIGURED: { http: 400, meaning: 'The key management service is not configured' },
  KMS_BAD_KEK: { http: 400, meaning: 'The key-encryption key is malformed' },
  ERASURE_BATCH_TOO_LARGE: { http: 400, meaning: 'Too many trace ids for one erasure' },
  SCIM_INVALID_FILTER: { http: 400, meaning: 'The SCIM filter is invalid' },
  SCIM_INVALID_VALUE: { http: 400, meaning: 'A SCIM value or path is invalid' },
  SCIM_INVALID_SYNTAX: { http: 400, meaning: 'The SCIM request is malformed' },
  // 401
  NO_API_KEY: { http: 401, meaning: 'An API key is required' },
  NO_TOKEN: { http: 401, meaning: 'A bearer token is required' },
  INVALID_API_KEY_FORMAT: {
    http: 401,
    meaning: 'The credential is not a well-formed API key',
  },
  INVALID_API_KEY: { http: 401, meaning: 'Unknown or revoked API key' },
  INVALID_CREDENTIALS: { http: 401, meaning: 'E-mail address or password is incorrect' },
  INVALID_MFA_CODE: { http: 401, meaning: 'The second-factor code is incorrect or has been used' },
  TOKEN_REVOKED: { http: 401, meaning: 'The token has been revoked or replaced' },
  TOKEN_EXPIRED: { http: 401, meaning: 'The session token has expired' },
  SESSION_REVOKED: { http: 401, meaning: 'The session has been revoked' },
  TOKEN_VERIFICATION_FAILED: {
    http: 401,
    meaning: 'The token is malformed or its signature is invalid',
  },
  UNAUTHORIZED_NO_USER: { http: 401, meaning: 'The user behind the token no longer exists' },
  ACCOUNT_DEACTIVATED: { http: 401, meaning: 'The membership is suspended' },
  WITNESS_AUTH_FAILED: { http: 401, meaning: 'Witness authentication failed' },
  PARTNER_REPLAY_WINDOW: {
    http: 401,
    meaning: 'The partner timestamp is outside the replay window',
  },
  // 403
  FORBIDDEN: { http: 403, meaning: 'The caller lacks the required role or scope' },
  UPGRADE_REQUIRED: { http: 403, meaning: 'The plan does not include this feature' },
  SVC_BLOCKED_BY_POLICY: { http: 403, meaning: 'A policy blocked the decision; it is recorded' },
  APPROVAL_PENDING: {
    http: 403,
    meaning: 'The decision waits for a person; claim it once it is approved',
  },
  APPROVAL_REJECTED: {
    http: 403,
    meaning: 'The action was rejected, blocked or withdrawn; it may not be executed',
  },
  APPROVAL_EXPIRED: { http: 403, meaning: 'The approval has expired; propose the action again' },
  APPROVAL_MISMATCH: {
    http: 403,
    meaning: 'The approval is of another action than the one that is claimed',
  },
  HALTED: {
    http: 403,
    meaning: 'The action is halted; `data.halt` says what is, and since when',
  },
  SIGNATURE_REQUIRED: {
    http: 403,
    meaning: 'A person has to sign this with a passkey; the console asks for it',
  },
  SIGNATURE_INVALID: {
    http: 403,
    meaning: 'The signature is not by a passkey that counts, or not of what is decided',
  },
  BILLING_FORBIDDEN: { http: 403, meaning: 'Billing requires the role owner or admin' },
  // 404, 405, 406, 408
  NOT_FOUND: { http: 404, meaning: 'The resource does not exist in this organisation' },
  ORG_NOT_FOUND: { http: 404, meaning: 'The organisation does not exist' },
  METHOD_NOT_ALLOWED: { http: 405, meaning: 'The method is not allowed on this path; see Allow' },
  REQUEST_TIMEOUT: { http: 408, meaning: 'The request did not arrive in time' },
  // 409, 410, 413, 415
  ALREADY_EXISTS: { http: 409, meaning: 'The resource already exists' },
  SCIM_UNIQUENESS: { http: 409, meaning: 'Another user of the organisation has this userName' },
  CONFLICT: {
    http: 409,
    meaning:
      'The resource was changed concurrently, read it again; or the Idempotency-Key is that of another agent or workspace',
  },
  CHANGED_SINCE: {
    http: 412,
    meaning:
      'It was changed since the `updatedAt` that `If-Match` names, at `data.updatedAt`; read it again',
  },
  APPROVAL_USED: {
    http: 409,
    meaning: 'The action was claimed before; an approval is used once',
  },
  DECISION_OBSERVED: {
    http: 409,
    meaning:
      'The decision was reported after the fact: its action is done, and there is nothing to claim',
  },
  LIMIT_REACHED: {
    http: 409,
    meaning:
      'The action would pass a limit of a policy; `data.limits` says which, what is left, and when there is more',
  },
  EFFECT_RESERVED: {
    http: 409,
    meaning:
      'Another action with this effect is being executed, or its outcome is unknown; `data.state` says which',
  },
  EFFECT_DONE: { http: 409, meaning: 'The effect was brought about by another action' },
  EXECUTION_ENDED: {
    http: 409,
    meaning: 'Another outcome of this execution is recorded, and it is final',
  },
  REQUEST_DIFFERS: {
    http: 409,
    meaning: 'The Idempotency-Key was used by this caller for another access request',
  },
  REVIEW_ENDED: {
    http: 409,
    meaning: 'The review of the decision has ended; `data.status` says how',
  },
  DECISION_ERASED: {
    http: 410,
    meaning:
      'The decision that has this Idempotency-Key was erased; it is not recorded again, and the key is free 24 hours after it was used',
  },
  DENIAL_EXPIRED: {
    http: 410,
    meaning: 'The denial can no longer be answered by an access request: ask the question again',
  },
  EXPIRED: { http: 410, meaning: 'The token, invitation or temporary resource has expired' },
  VERSION_SUNSET: {
    http: 410,
    meaning: 'The requested schema or API version is no longer available',
  },
  PAYLOAD_TOO_LARGE: { http: 413, meaning: 'The request body is too large for this route' },
  BUNDLE_PERIOD_TOO_LARGE: {
    http: 413,
    meaning: 'The period has more chain entries than fit into one bundle',
  },
  UNSUPPORTED_MEDIA_TYPE: {
    http: 415,
    meaning: 'The content type, charset or content encoding is not supported',
  },
  // 424, 429, 431
  IDENTITY_PROVIDER_UNAVAILABLE: {
    http: 424,
    meaning: 'The identity provider is unreachable or returned an invalid response',
  },
  RATE_LIMIT_EXCEEDED: { http: 429, meaning: 'Rate limit exceeded' },
  RATE_LIMITED: { http: 429, meaning: 'Rate limit of CPI reads exceeded' },
  PRIVACY_BUDGET_EXHAUSTED: {
    http: 429,
    meaning: 'The privacy budget of the window is spent, too small for this query, or paused',
  },
  USAGE_LIMIT_EXCEEDED: { http: 429, meaning: 'The monthly trace limit of the plan is reached' },
  HEADERS_TOO_LARGE: {
    http: 431,
    meaning: 'The request headers are too large',
  },
  // events
  INVALID_STREAM_TOKEN: {
    http: 401,
    meaning: 'The stream token is invalid, used or expired; delivered as an event',
  },
  SIGNER_NOT_READY: { http: 200, meaning: 'The signer is not ready; delivered as data' },
  WEBHOOK_TEST_FAILED: {
    http: 200,
    meaning: 'The endpoint rejected the test delivery; delivered as data',
  },
  // 5xx
  INTERNAL_ERROR: { http: 500, meaning: 'Internal error' },
  CONFIG_ERROR: { http: 500, meaning: 'The server is misconfigured; retrying does not help' },
  SERVICE_UNAVAILABLE: {
    http: 503,
    meaning: 'Temporarily unavailable; retry after the given time',
  },
  HASH_CHAIN_STATUS_FAILED: { http: 500, meaning: 'Chain status failed' },
  HASH_CHAIN_VERIFY_FAILED: { http: 500, meaning: 'Chain verification failed to run' },
  HASH_CHAIN_ENTRY_FAILED: { http: 500, meaning: 'Chain entry look-up failed' },
  HASH_CHAIN_ENTRIES_FAILED: { http: 500, meaning: 'Chain entry list failed' },
  HASH_CHAIN_ANCHORS_FAILED: { http: 500, meaning: 'Anchor list failed' },
  HASH_CHAIN_PROOF_FAILED: { http: 500, meaning: 'Inclusion proof failed' },
  HASH_CHAIN_BROKEN: {
    http: 409,
    meaning: 'The chain is not what was sealed; nothing is signed about it',
  },
  HASH_CHAIN_EXPORT_FAILED: { http: 500, meaning: 'Chain export failed' },
  FRIA_LIST_FAILED: { http: 500, meaning: 'Assessment list failed' },
  FRIA_CREATE_FAILED: { http: 500, meaning: 'Assessment creation failed' },
  FRIA_GET_FAILED: { http: 500, meaning: 'Assessment read failed' },
  FRIA_UPDATE_FAILED: { http: 500, meaning: 'Assessment update failed' },
  FRIA_DELETE_FAILED: { http: 500, meaning: 'Assessment deletion failed' },
  INCIDENT_LIST_FAILED: { http: 500, meaning: 'Incident list failed' },
  INCIDENT_CREATE_FAILED: { http: 500, meaning: 'Incident creation failed' },
  INCIDENT_GET_FAILED: { http: 500, meaning: 'Incident read failed' },
  INCIDENT_UPDATE_FAILED: { http: 500, meaning: 'Incident update failed' },
  INCIDENT_CLOSE_FAILED: { http: 500, meaning: 'Incident closing failed' },
  INCIDENT_CLOCKS_FAILED: { http: 500, meaning: 'Clock list failed' },
  CHECKPOINT_COMPLETE_FAILED: { http: 500, meaning: 'Checkpoint completion failed' },
  KMS_ROTATION_FAILED: { http: 500, meaning: 'Key rotation failed' },
  CHECKOUT_FAILED: { http: 500, meaning: 'The checkout session could not be created' },
  PORTAL_FAILED: { http: 500, meaning: 'The portal session could not be created' },
} as const satisfies Record<string, Entry>;

export type Code = keyof typeof registry;

export interface ErrorParts {
  /** Machine-readable details for the envelope's `data`. */
  data?: unknown;
  headers?: Readonly<Record<string, string>>;
  cause?: unknown;
}

/** The only error whose text reaches a caller. Everything else becomes the route's `failedCode`. */
export class AppError extends Error {
  readonly code: Code;
  readonly data: unknown;
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: Code, message: string = registry[code].meaning, parts: ErrorParts = {}) {
    super(message, parts.cause === undefined ? {} : { cause: parts.cause });
    this.name = 'AppError';
    this.code = code;
    this.data = parts.data;
    this.headers = parts.headers ?? {};
  }

  get http(): number {
    return registry[this.code].http;
  }
}

const MAX_REASON = 500;

/** Describes an error with all its causes, for logs and operators, not for callers. */
export function describeCauses(error: AppError): string {
  const texts: string[] = [];
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause)
    texts.push(cause.message);
  return truncate(texts.join(': '), MAX_REASON);
}

/** Whether a request is refused before it is known to repeat an accepted one, whose answer it then gets. */
export function mayReplay({ code, http }: AppError): boolean {
  return [400, 413, 415, 503].includes(http) || code === 'USAGE_LIMIT_EXCEEDED';
}

/** What is wrong with an input, and where. */
export interface Issue {
  path: string;
  message: string;
}

/** Upper bound on reported issues; an input can have as many as it has bytes. */
const MAX_ISSUES = 20;
const MAX_PATH_LENGTH = 200;
const MAX_MESSAGE_LENGTH = 500;

/** Limits the issues of an error response to the first ones, and counts the others. */
export function limitIssues(found: readonly Issue[]): { issues: Issue[]; furtherIssues?: number } {
  const issues = found.slice(0, MAX_ISSUES).map(({ path, message }) => ({
    path: truncate(path, MAX_PATH_LENGTH),
    message: truncate(message, MAX_MESSAGE_LENGTH),
  }));
  const furtherIssues = found.length - issues.length;
  return furtherIssues === 0 ? { issues } : { issues, furtherIssues };
}

/** Creates the error of a read that takes too long. */
export function createTooSlowError(cause?: unknown): AppError {
  return new AppError('VALIDATION_ERROR', 'This takes too long: narrow it, for instance by date', {
    cause,
  });
}

const DUPLICATE_KEY = 11_000;

/** Whether a unique index refused a write. */
export function isDuplicateKey(error: unknown): boolean {
  return (error as { code?: unknown } | null | undefined)?.code === DUPLICATE_KEY;
}

/** Ends a request whose caller disconnected before its work began: no response is sent, and nothing is wrong. */
export class AbandonedError extends AppError {
  constructor() {
    super('SERVICE_UNAVAILABLE', 'The caller has left');
  }
}
