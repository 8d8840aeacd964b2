// Measures the CPU time of a replay per decision, against judging the decision once.
import { setTimeout as sleep } from 'node:timers/promises';
import { type JsonObject, parseSafeJson } from '@assay/json';
import { createScrubber } from '@assay/scrub';
import { compilePolicies } from '@assay/policy';
import { DEFAULT_AGENT_POLICIES } from '../../src/domain/agents/agent-policies.ts';
import { evaluateSubmission } from '../../src/decisions/traces/ingestion/judge.ts';
import type { Plan } from '../pairs.ts';
import { createDefinition } from '../in-process/policies.ts';
import { readCpuMs } from '../processes.ts';
import type { Scene, Stage } from '../stage.ts';
import { callApi, POLICIES } from '../tenants.ts';

const MOST = 100_000;
const JUDGED = 2_000;

const candidate = {
  name: 'Candidate',
  conditions: [{ field: 'confidenceScore', operator: 'less_than', value: 0.6 }],
  actions: [{ type: 'block' }],
};

/** Begins a replay of the candidate over all decisions; returns its path. */
export async function beginReplay({ url, organizations }: Scene): Promise<string> {
  const token = organizations[0]?.token ?? '';
  const path = `${url}/api/v1/policies`;
  const { _id } = await callApi(`${path}/_new/replay`, { token, body: { policy: candidate } });
  return `${path}/replays/${_id}`;
}

/** Waits for the end of a replay; returns the number of its decisions. */
export async function waitUntilEnded(replay: string, token: string): Promise<number> {
  for (;;) {
    const { state, done } = await callApi(replay, { method: 'GET', token });
    if (state === 'done') return done;
    if (state !== 'queued' && state !== 'running') throw new Error(`the replay has ${state}`);
    await sleep(200);
  }
}

export async function measureReplay(stage: Stage, { entries }: Plan): Promise<number> {
  const scene = await stage.openScene();
  const token = scene.organizations[0]?.token ?? '';
  const wanted = Math.min(MOST, entries / 5);
  try {
    for (let stored = 0; stored < wanted;)
      stored += (await scene.runIngestion({ connections: 64 })).operations;
    const before = readCpuMs(scene.pid);
    const done = await waitUntilEnded(await beginReplay(scene), token);
    const replayedUs = ((readCpuMs(scene.pid) - before) * 1000) / done;
    const judgedUs = measureJudgingUs(stage.texts);
    console.error(
      `  ${replayedUs.toFixed(0)} us of ${done} decisions, judged in ${judgedUs.toFixed(0)} us`,
    );
    return replayedUs / judgedUs;
  } finally {
    await scene.close();
  }
}

/** Microseconds of processor for one decision, read and judged as ingestion does, by as many policies. */
function measureJudgingUs(texts: readonly string[]): number {
  const policies = compilePolicies(
    Array.from({ length: POLICIES }, (_, at) => createDefinition(at)),
  );
  const input = {
    agent: null,
    agentPolicies: DEFAULT_AGENT_POLICIES,
    history: { recentOverrideRate: null, recentFlagRate: null },
    policies,
    scrubber: createScrubber({ nationalIds: true, extended: true }),
    versionScrubber: createScrubber({ nationalIds: true, extended: true }),
    at: new Date(),
  };
  const evaluateAll = (): void => {
    for (let at = 0; at < JUDGED; at++)
      evaluateSubmission(parseSafeJson(texts[at % texts.length] ?? '') as JsonObject, input);
  };
  evaluateAll();
  const cpu = process.cpuUsage();
  evaluateAll();
  const { user, system } = process.cpuUsage(cpu);
  return (user + system) / JUDGED;
}
