// Which commands this machine has: what a stranger would check with them is checked where it can be.
import { spawnSync } from 'node:child_process';

/** Whether all of these commands can be run here. */
export function has(...commands: string[]): boolean {
  return commands.every((command) => spawnSync('sh', ['-c', `command -v ${command}`]).status === 0);
}
