// An organisation with an agent and policies, tools that count what they do, and programs as processes of their own.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { Assay, type AssayOptions } from '@assay/sdk';
import { beforeEach, inject } from 'vitest';
import { useGuards } from '../../test/sdk/typescript/sdk-stage.ts';
import { useHarness, useOwner } from '../../test/setup/fixtures.ts';
import { PROGRAMS } from './packed-sdk.ts';
import type { Order, Report } from './program.ts';
import type { Done } from './tools.ts';

export function useStage() {
  const harness = useHarness();
  const ada = useOwner(harness);
  const guards = useGuards(harness, ada);
  const done: Done[] = [];
  beforeEach(() => {
    done.length = 0;
  });

  const connect = (options: AssayOptions = {}): Assay =>
    new Assay({ url: harness.app.url, key: guards.agent.key, timeout: 60_000, ...options });

  return {
    ...guards,
    harness,
    ada,
    connect,
    /** What the tools of the current test did. */
    done,
    /** Runs one step of a program in a process of its own, which ends after it. */
    async runProgram(name: string, order: Order): Promise<Report> {
      const { PATH = '' } = process.env;
      const child = spawn(process.execPath, [join(PROGRAMS, `${name}.mjs`)], {
        env: {
          PATH,
          ASSAY_URL: harness.app.url,
          ASSAY_KEY: guards.agent.key,
          MONGO_URI: inject('mongoUri'),
        },
      });
      child.stdin.end(JSON.stringify(order));
      const [out, complaints] = await Promise.all([
        text(child.stdout),
        text(child.stderr),
        once(child, 'close'),
      ]);
      if (child.exitCode !== 0) throw new Error(`${name} failed:\n${complaints}`);
      return JSON.parse(out) as Report;
    },
  };
}
