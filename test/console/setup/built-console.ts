// Builds the console once for a run, unless it is newer than its sources.
import { execFileSync } from 'node:child_process';
import { isConsoleStale } from '../../../scripts/console/sources.ts';

export function setup(): void {
  if (isConsoleStale())
    execFileSync('npm', ['run', '--silent', 'build:console'], { stdio: 'inherit' });
}
