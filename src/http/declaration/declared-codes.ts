// Which codes a route may answer: its own, and those that follow from what it declares. Undeclared ones are a fault of ours.
import type { Code } from '../../errors.ts';
import type { Route } from './define-route.ts';

/** Every code a route can answer with, sorted; the API reference lists them. */
export function codesOf(route: Route): Code[] {
  const codes = new Set<Code>([
    'RATE_LIMIT_EXCEEDED',
    'SERVICE_UNAVAILABLE',
    'VALIDATION_ERROR',
    route.failedCode ?? 'INTERNAL_ERROR',
    ...(route.codes ?? []),
  ]);
  if (route.body)
    for (const code of [
      'PAYLOAD_TOO_LARGE',
      'UNSUPPORTED_MEDIA_TYPE',
      route.invalidCode ?? 'VALIDATION_ERROR',
    ] as const)
      codes.add(code);
  if (route.body && route.kind === 'scim') codes.add('SCIM_INVALID_SYNTAX');
  if (route.params || route.auth !== 'public') codes.add('NOT_FOUND');
  if (route.plan) codes.add('UPGRADE_REQUIRED');
  if (route.method !== 'get' && route.writes !== 'none')
    for (const code of ['ALREADY_EXISTS', 'CONFLICT'] as const) codes.add(code);
  for (const code of authCodes(route)) codes.add(code);
  return [...codes].sort();
}

function authCodes(route: Route): Code[] {
  const key: Code[] = ['INVALID_API_KEY_FORMAT', 'INVALID_API_KEY'];
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

interface Deps {
  strict: boolean;
  log: { error(details: object, text: string): void };
}

/** Reports a status or code that the route does not declare; in strict mode it is thrown, so that a test sees it. */
export function assertDeclared(what: string, route: Route, { strict, log }: Deps): void {
  if ((codesOf(route) as string[]).includes(what)) return;
  log.error({ what, route: `${route.method} ${route.path}` }, 'undeclared answer');
  if (strict)
    throw new Error(`${route.method} ${route.path} answered ${what}, which it does not declare`);
}
