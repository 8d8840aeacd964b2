// Writes docs/reference/routes.md: one table of every route with its gates and the file that handles it.
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Route } from '../src/http/declaration/define-route.ts';
import { CALLER_LIMITS } from '../src/http/declaration/rate-limits.ts';
import { listRoutes, type LocatedRoute } from '../src/http/router.ts';
import { READERS, type Role, ROLES } from '../src/domain/identity/roles.ts';
import { mounts } from '../src/routes.ts';

/** File of the table. */
export const ROUTES_FILE = new URL('../docs/reference/routes.md', import.meta.url);
const SOURCES = join(import.meta.dirname, '../src');

const HEAD = `# Routes

Generated from the route declarations by \`npm run docs\`. The file in a row, below \`src/\`, declares
the route and holds its handler.

- "readers" are the roles ${READERS.join(', ')}. A workspace key reads as role member.
- "own account": the route acts on the caller's account. A session that an organisation's sign-on opened
  is refused, unless the account is that organisation's own.
- "proved mailbox": refused where the installation requires a verified mailbox and the account has none.

| method | path | who | plan | limits | audit entry | file |
| --- | --- | --- | --- | --- | --- | --- |
`;

/** The file of each route, found in the modules that export the mounted arrays. */
async function findRouteFiles(): Promise<Map<Route, string>> {
  const found = new Map<Route, string>();
  for (const file of readdirSync(SOURCES, { recursive: true, encoding: 'utf8' }).sort()) {
    if (!file.endsWith('.routes.ts')) continue;
    const module = (await import(join(SOURCES, file))) as Record<string, unknown>;
    for (const routes of Object.values(module).filter(Array.isArray) as Route[][])
      for (const route of routes) found.set(route, file);
  }
  return found;
}

function formatRoles(roles: readonly Role[]): string {
  if (roles === READERS) return 'readers';
  return roles.length === ROLES.length ? 'every role' : roles.join(', ');
}

function describeAccess({
  auth,
  roles = READERS,
  systemRoles,
  agentScope,
  account,
  verified,
}: Route): string {
  if (auth === 'public') return 'anybody';
  if (auth === 'scim') return 'SCIM token';
  if (auth === 'workspaceKey') return 'workspace key';
  if (auth === 'anyKey') return 'workspace key or agent key';
  const system = systemRoles ? `; system role ${systemRoles.join(' or ')}` : '';
  const takesKeys = auth === 'reader' || auth === 'keyOrUser';
  const key = takesKeys ? `; workspace key${agentScope ? '' : ' without agent scope'}` : '';
  const proof = verified ? '; proved mailbox' : '';
  return formatRoles(roles) + system + key + (account ? '; own account' : '') + proof;
}

function describeLimits({ route, ofMount }: LocatedRoute): string {
  const { auth, limits = [], followsDecision } = route;
  const names = [...ofMount, ...limits, ...CALLER_LIMITS[auth]].map(({ name }) => name);
  if (auth === 'anyKey' && !followsDecision) names.push('agent');
  return [...new Set(names)].join(', ');
}

export async function renderRoutesTable(): Promise<string> {
  const fileOf = await findRouteFiles();
  const rows = listRoutes(mounts)
    .sort((a, b) => Number(a.path > b.path) - Number(a.path < b.path))
    .map((located) => {
      const { path, route } = located;
      const cells = [
        route.method.toUpperCase(),
        `\`${path}\``,
        describeAccess(route),
        route.plan ?? '',
        describeLimits(located),
        route.audit?.action ?? '',
        fileOf.get(route) ?? '',
      ];
      return `| ${cells.join(' | ')} |\n`;
    });
  return HEAD + rows.join('');
}

if (process.argv[1] === import.meta.filename) writeFileSync(ROUTES_FILE, await renderRoutesTable());
