// `npm run bench agentdojo`: replays AgentDojo's trajectories against the real service, and compares each answer with the reference.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Stage } from '../stage.ts';
import { installReplay, REPLAY_FOLDER } from './environment.ts';

/** Variants that the service judges; the others differ from these in the lists of tools alone. */
const VARIANTS = ['proven-values alone', 'all four', 'all four, colleagues inside'];

/** @throws when service and reference differ in an answer */
export async function replayAgentDojo(stage: Stage): Promise<void> {
  const python = await installReplay();
  const scene = await stage.openScene({ isPlain: true });
  try {
    const chosen = VARIANTS.flatMap((name) => ['--variant', name]);
    const modes = ['now', 'hidden'].flatMap((name) => ['--mode', name]);
    const args = ['-m', 'replay', '--url', scene.url, ...chosen, ...modes];
    const replay = spawn(python, args, { cwd: REPLAY_FOLDER, stdio: 'inherit' });
    const [code] = (await once(replay, 'exit')) as [number | null];
    if (code !== 0) throw new Error(`the replay ended with ${code}`);
  } finally {
    await scene.close();
  }
}
