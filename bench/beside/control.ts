// What a control costs a decision of an organisation that uses it: the same load with it and without it.
import { type Group, type Outcome, warmUp } from '../pairs.ts';
import type { RowName } from '../rows.ts';
import type { Scene } from '../stage.ts';
import { type Bench, callApi } from '../tenants.ts';
import { computeTurnMedian, runTurns, sumCpu, toTurnSpan } from './turns.ts';

const MANY = { connections: 64 };
/** Standing halts of agents that post nothing. */
const HALTED = 20;

/** What the sample reads with. */
const TOOLS = ['get_order', 'list_services', 'get_user_details'];

interface Control {
  row: RowName;
  /** Sets the control up for an organisation. */
  use(api: string, organization: Bench): Promise<unknown>;
}

const addRule = (api: string, { token }: Bench, adl: string): Promise<unknown> =>
  callApi(`${api}/policies/from-adl`, { token, body: { adl } });

/** The tools of the sample, and a rule that reads what a session has read. */
const session: Control = {
  row: 'session',
  async use(api, organization) {
    const { token } = organization;
    const body = { entries: [{ does: [], gives: ['private', 'untrusted'] }] };
    for (const tool of TOOLS) await callApi(`${api}/tools/${tool}`, { method: 'PUT', token, body });
    const rule =
      'when session.labels.contains("untrusted") && action.does.contains("execute") && confidenceScore < 0 then block';
    await addRule(api, organization, `policy "Nothing runs after outsiders" ${rule}`);
  },
};

/** A limit of acts of each agent that none reaches. */
const budget: Control = {
  row: 'budget',
  use: (api, organization) =>
    addRule(
      api,
      organization,
      'policy "Acts of a day" when confidenceScore >= 0 then block { "limit": { "of": "acts", "per": "agent", "window": "24h", "most": 1000000000 } }',
    ),
};

/** Halts that stand, of agents that post nothing. */
const halt: Control = {
  row: 'halt',
  async use(api, { token }) {
    for (let i = 0; i < HALTED; i++) {
      const body = { scope: 'agent', target: `idle-${i}`, reason: 'It pays twice' };
      await callApi(`${api}/halts`, { token, body });
    }
  },
};

const measureControl = ({ row, use }: Control): Group => ({
  rows: [row],
  async measure(stage, { pairs }) {
    const [on, off] = [await stage.openScene(), await stage.openScene()];
    const figures: number[] = [];
    const outcome: Outcome = { pairs: { [row]: figures } };
    const span = toTurnSpan(stage);
    const run = (scene: Scene) => scene.runIngestion({ ...MANY, span });
    try {
      for (const organization of on.organizations) await use(`${on.url}/api/v1`, organization);
      for (const scene of [on, off]) await warmUp(() => run(scene));
      for (let pair = 0; pair < pairs; pair++) {
        const turns = await runTurns(run, { on, off });
        figures.push(computeTurnMedian(turns, ({ a, b }) => sumCpu(a) / sumCpu(b)));
        const sides = turns.at(-1);
        if (sides) outcome.sides = sides;
      }
      return outcome;
    } finally {
      await Promise.all([on.close(), off.close()]);
    }
  },
});

export const controls: readonly Group[] = [session, budget, halt].map(measureControl);
