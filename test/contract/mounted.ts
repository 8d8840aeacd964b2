// The mounted routes by the name under which the contract tests know them: `METHOD /path`.
import { listRoutes, type LocatedRoute } from '../../src/http/router.ts';
import { mounts } from '../../src/routes.ts';

export const mounted: ReadonlyMap<string, LocatedRoute> = new Map(
  listRoutes(mounts).map((located) => [
    `${located.route.method.toUpperCase()} ${located.path}`,
    located,
  ]),
);

/** The names of a path's parameters. */
export function listParameters(operation: string): string[] {
  return [...operation.matchAll(/:(\w+)/g)].map(([, name]) => name ?? '');
}
