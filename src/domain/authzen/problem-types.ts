// Problem types of the Access Request and Approval Profile of AuthZEN, by the code of the error.

const PREFIX = 'urn:openid:authzen:access-request:error:';

export interface ProblemType {
  type: string;
  title: string;
}

const toType = (name: string, title: string): ProblemType => ({ type: PREFIX + name, title });

export const PROBLEM_TYPES: ReadonlyMap<string, ProblemType> = new Map([
  ['DENIAL_NOT_REQUESTABLE', toType('not_requestable', 'Access is not requestable')],
  ['DENIAL_EXPIRED', toType('expired_denial', 'The denial has expired')],
  ['DENIAL_MISMATCH', toType('invalid_denial_binding', 'The request is not that of the denial')],
  ['REQUEST_DIFFERS', toType('duplicate_request', 'The Idempotency-Key has another request')],
  ['NOT_FOUND', toType('unknown_task', 'The task is unknown')],
  ['REVIEW_ENDED', toType('invalid_task_state', 'The task has ended')],
]);
