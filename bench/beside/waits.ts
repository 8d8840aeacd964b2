// Two thousand requests of one organisation wait for verdicts: what they cost, and how soon a verdict reaches them.
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { warmUp } from '../pairs.ts';
import { readCpuMs } from '../processes.ts';
import type { Scene, Stage } from '../stage.ts';
import { type Bench, callApi } from '../tenants.ts';

const DECISIONS = 200;
const WAITS_EACH = 10;
const VERDICTS = 100;
/** Verdicts before those that count: the first ones compile what they run. */
const WARM_VERDICTS = 20;
/** Time in which nothing but waiting happens: two looks at the database and more. */
const CALM_MS = 12_000;
/** Time for the waits to arrive. */
const ARRIVAL_MS = 4_000;
const ACTION = 'wait for a person';

export interface Waiting {
  /** Share of a core that the server uses while all wait. */
  cpuShare: number;
  /** Milliseconds from sending a verdict to an answer of those that wait for it; 99 of 100 take less. */
  verdictMs: number;
}

interface Hold {
  traceId: string;
  reviewId: string;
}

async function postHold({ url }: Scene, { key }: Bench, index: number): Promise<Hold> {
  const answer = await fetch(`${url}/api/v1/traces`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': key },
    body: JSON.stringify({
      agentId: 'bench',
      inputContext: { prompt: `Hold ${index}` },
      outputDecision: { action: ACTION },
    }),
  });
  const { data } = (await answer.json()) as { data: Hold };
  if (answer.status !== 202) throw new Error(`a hold was answered ${answer.status}`);
  return data;
}

async function createHolds(scene: Scene, organization: Bench): Promise<Hold[]> {
  const conditions = [{ field: 'outputDecision.action', operator: 'equals', value: ACTION }];
  const policy = { name: 'Waits', conditions, actions: [{ type: 'flag_for_review' }] };
  const { token } = organization;
  await callApi(`${scene.url}/api/v1/policies`, { token, body: policy });
  const holds: Hold[] = [];
  for (let index = 0; index < DECISIONS; index++)
    holds.push(await postHold(scene, organization, index));
  return holds;
}

/** Resolves with the time of the answer; rejects when it is no verdict. */
function waitForVerdict(url: string, key: string, agent: Agent): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { agent, headers: { 'x-api-key': key } }, (response) => {
      response.resume().on('end', () => {
        if (response.headers['x-review-status'] === 'approved') resolve(performance.now());
        else reject(new Error(`a wait was answered ${response.statusCode}`));
      });
    });
    sent.on('error', reject).end();
  });
}

async function measureVerdict(
  { url }: Scene,
  { token }: Bench,
  { reviewId, waits }: { reviewId: string; waits: readonly Promise<number>[] },
): Promise<number[]> {
  const began = performance.now();
  const body = { decision: 'approve' };
  const verdict = callApi(`${url}/api/v1/review-queue/${reviewId}/decision`, { token, body });
  const answered = await Promise.all(waits);
  await verdict;
  return answered.map((at) => at - began);
}

function findPercentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.ceil(sorted.length * share) - 1] ?? Number.NaN;
}

/** Waits end after 55 seconds, so everything is measured before. */
export async function measureWaits(stage: Stage): Promise<Waiting> {
  const scene = await stage.openScene();
  const [organization] = scene.organizations as [Bench];
  const agent = new Agent({ keepAlive: true, maxSockets: Infinity });
  try {
    await warmUp(() => scene.runIngestion({ connections: 64 }));
    const holds = await createHolds(scene, organization);
    await scene.settle();
    const waiting = holds.map(({ traceId, reviewId }) => {
      const address = `${scene.url}/api/v1/traces/${traceId}?wait=55`;
      const beginWait = () => waitForVerdict(address, organization.key, agent);
      const waits = Array.from({ length: WAITS_EACH }, beginWait);
      // Those without a verdict end with the instance.
      for (const each of waits) each.catch(() => undefined);
      return { reviewId, waits };
    });
    await sleep(ARRIVAL_MS);
    const [began, cpu] = [performance.now(), readCpuMs(scene.pid)];
    await sleep(CALM_MS);
    const cpuShare = (readCpuMs(scene.pid) - cpu) / (performance.now() - began);
    const times: number[] = [];
    for (const [at, each] of waiting.slice(0, WARM_VERDICTS + VERDICTS).entries()) {
      const taken = await measureVerdict(scene, organization, each);
      if (at >= WARM_VERDICTS) times.push(...taken);
    }
    return { cpuShare, verdictMs: findPercentile(times, 0.99) };
  } finally {
    agent.destroy();
    await scene.close();
  }
}
