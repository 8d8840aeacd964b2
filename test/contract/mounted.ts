// The mounted routes by the name under which the contract tests know them: `METHOD /path`.
import { locate, type Located } from '../../src/http/router.ts';
import { mounts } from '../../src/routes.ts';

export const mounted: ReadonlyMap<string, Located> = new Map(
  locate(mounts).map((located) => [
    `${located.route.method.toUpperCase()} ${located.path}`,
    located,
  ]),
);

/** The names of a path's parameters. */
export function parametersOf(operation: string): string[] {
  return [...operation.matchAll(/:(\w+)/g)].map(([, name]) => name ?? '');
}
