// Lists the error codes of a route: the declared ones, and those that follow from its declaration.
import type { Code } from '../../errors.ts';
import type { Route } from './define-route.ts';

/** Lists every code that a route can answer with, sorted. */
export function listDeclaredCodes(route: Route): Code[] {
  const codes = new Set<Code>([
    'RATE_LIMIT_EXCEEDED',
    'SERVICE_UNAVAILABLE',
    'VALIDATION_ERROR',
    route.failedCode ?? 'INTERNAL_ERROR',
    ...(route.codes ?? []),
  ]);
  if (route.params || route.auth !== 'public') codes.add('NOT_FOUND');
  if (route.plan) codes.add('UPGRADE_REQUIRED');
  if (route.readLastChange) codes.add('CHANGED_SINCE');
  for (const code of [...listBodyCodes(route), ...listWriteCodes(route), ...listAuthCodes(route)])
    codes.add(code);
  return [...codes].sort();
}

function listBodyCodes(route: Route): Code[] {
  const { body, kind, invalidCode = 'VALIDATION_ERROR', memberCodes = {} } = route;
  if (!body) return [];
  const own = Object.values(memberCodes);
  const codes: Code[] = ['PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE', invalidCode, ...own];
  return kind === 'scim' ? [...codes, 'SCIM_INVALID_SYNTAX'] : codes;
}

function listWriteCodes({ method, writes }: Route): Code[] {
  return method === 'get' || writes === 'none' ? [] : ['ALREADY_EXISTS', 'CONFLICT'];
}

function listAuthCodes(route: Route): Code[] {
  const key: Code[] = ['INVALID_API_KEY_FORMAT', 'INVALID_API_KEY', 'TOKEN_EXPIRED'];
  const session: Code[] = [
    'NO_TOKEN',
    'TOKEN_EXPIRED',
    'TOKEN_REVOKED',
    'SESSION_REVOKED',
    'TOKEN_VERIFICATION_FAILED',
    'UNAUTHORIZED_NO_USER',
    'ACCOUNT_DEACTIVATED',
  ];
  const forbidden = route.forbiddenCode ?? 'FORBIDDEN';
  if (route.auth === 'public') return [];
  if (route.auth === 'scim') return ['NO_TOKEN', 'TOKEN_REVOKED', 'FORBIDDEN'];
  if (route.auth === 'anyKey' || route.auth === 'workspaceKey')
    return ['NO_API_KEY', ...key, 'FORBIDDEN', forbidden];
  return [...session, ...key, 'FORBIDDEN', forbidden];
}

interface Report {
  /** Whether what is undeclared throws, so that a test fails; otherwise it is logged. */
  strict: boolean;
  log: { error(details: object, text: string): void };
}

/** Reports a status that the route does not declare. */
export function assertStatusDeclared(status: number, route: Route, report: Report): void {
  if (!route.statuses.includes(status)) reportUndeclared(`status ${status}`, route, report);
}

/** Reports a code that the route does not declare. */
export function assertCodeDeclared(code: Code, route: Route, report: Report): void {
  if (!listDeclaredCodes(route).includes(code)) reportUndeclared(code, route, report);
}

function reportUndeclared(outcome: string, route: Route, { strict, log }: Report): void {
  const name = `${route.method} ${route.path}`;
  log.error({ outcome, route: name }, 'undeclared status or code');
  if (strict) throw new Error(`${name} answered ${outcome}, which it does not declare`);
}
