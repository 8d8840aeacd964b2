// Checks which commands this machine has; tests that need an outside tool run only where it exists.
import { spawnSync } from 'node:child_process';

/** Whether all of these commands can be run here. */
export function has(...commands: string[]): boolean {
  return commands.every((command) => spawnSync('sh', ['-c', `command -v ${command}`]).status === 0);
}
