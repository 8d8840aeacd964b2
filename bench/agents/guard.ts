// What the SDK adds to a decision: a guarded call of an agent, approved, beside the bare request by the same client.
import { Assay } from '../../packages/sdk-typescript/src/index.ts';
import { computeMedian } from '../rows.ts';
import type { Stage } from '../stage.ts';
import { callApi } from '../tenants.ts';

const WARM = 500;
/** Calls of a block of each side. */
const CALLS = 500;
const TOOL = 'bench_tool';

type Call = (index: number) => Promise<unknown>;

const createArguments = (index: number) => ({ order: `A-${index}`, amount: index % 90 });

/** The bare request, with the body that the guard sends. */
function createBareCall(url: string, { key, agentId }: { key: string; agentId: string }): Call {
  return async (index) => {
    const action = { tool: TOOL, arguments: createArguments(index) };
    const answer = await fetch(`${url}/api/v1/traces`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-api-key': key,
        'idempotency-key': crypto.randomUUID(),
      },
      body: JSON.stringify({
        agentId,
        inputContext: { prompt: `Call of ${TOOL}` },
        outputDecision: { action },
        metadata: { assay: { sdk: 'none', sdkVersion: '0', mode: 'enforced' } },
      }),
    });
    if (answer.status !== 201) throw new Error(`a decision was answered ${answer.status}`);
    return answer.json();
  };
}

/** The median of the milliseconds of calls, one after the other. */
async function runBlock(call: Call, from: number, calls = CALLS): Promise<number> {
  const times: number[] = [];
  for (let index = from; index < from + calls; index++) {
    const began = performance.now();
    await call(index);
    times.push(performance.now() - began);
  }
  return computeMedian(times);
}

/** The ratios of the medians, guarded by bare, in pairs of blocks in ABBA order. */
export async function measureGuard(stage: Stage, pairs: number): Promise<number[]> {
  // Without policies, since some of the others hold what they are not sure about.
  const scene = await stage.openScene({ isPlain: true });
  try {
    const { url, organizations } = scene;
    const { key = '', token = '' } = organizations[0] ?? {};
    const agent = await callApi(`${url}/api/v1/agents`, { token, body: { name: 'guarded' } });
    await callApi(`${url}/api/v1/agents/${agent._id}/policies`, {
      method: 'PATCH',
      token,
      body: { maxRequestsPerMinute: null },
    });
    const assay = new Assay({ url, key, agent: agent._id, onHold: 'suspend' });
    const guarded = assay.guard(TOOL, (args: object) => args);
    const sides = {
      guarded: (index: number) => guarded(createArguments(index)),
      bare: createBareCall(url, { key, agentId: agent._id }),
    };
    let done = 0;
    const runSide = (side: keyof typeof sides, calls = CALLS): Promise<number> =>
      runBlock(sides[side], (done += calls), calls);
    await runSide('guarded', WARM);
    await runSide('bare', WARM);
    const ratios: number[] = [];
    for (let pair = 0; pair < pairs; pair++) {
      const isFirst = pair % 2 === 0;
      const first = await runSide(isFirst ? 'guarded' : 'bare');
      const second = await runSide(isFirst ? 'bare' : 'guarded');
      ratios.push(isFirst ? first / second : second / first);
    }
    return ratios;
  } finally {
    await scene.close();
  }
}
