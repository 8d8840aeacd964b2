// Finds Go, which programs of others are built with.
import { spawnSync } from 'node:child_process';

/** The `go` of the PATH, or where its installer puts it; null, with a line, where there is none. */
export function findGo(): string | null {
  const paths = ['go', '/usr/local/go/bin/go'];
  const found = paths.find((path) => spawnSync(path, ['version']).status === 0) ?? null;
  if (found === null)
    console.log('Go is not installed: nothing is checked by programs of others in Go');
  return found;
}
