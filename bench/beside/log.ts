// Ingestion with the witnessed log and without it: what sealing and promising cost a decision, and add to its answer.
import { type Group, type Outcome, warmUp } from '../pairs.ts';
import { computeTurnMedian, runTurns, sumCpu, toTurnSpan } from './turns.ts';

const MANY = { connections: 64 };

export const measureLog: Group = {
  rows: ['log', 'log-p99'],
  async measure(stage, { pairs }) {
    const [on, off] = [
      await stage.openScene({ env: { ASSAY_LOG: 'on' } }),
      await stage.openScene({ env: { ASSAY_LOG: 'off' } }),
    ];
    const cpu: number[] = [];
    const addedMs: number[] = [];
    const outcome: Outcome = { pairs: { log: cpu, 'log-p99': addedMs } };
    const span = toTurnSpan(stage);
    try {
      for (const scene of [on, off]) await warmUp(() => scene.runIngestion(MANY));
      for (let pair = 0; pair < pairs; pair++) {
        const many = await runTurns((scene) => scene.runIngestion({ ...MANY, span }), { on, off });
        const one = await runTurns((scene) => scene.runIngestion({ connections: 1, span }), {
          on,
          off,
        });
        cpu.push(computeTurnMedian(many, ({ a, b }) => sumCpu(a) / sumCpu(b)));
        addedMs.push(computeTurnMedian(one, ({ a, b }) => a.p99 - b.p99));
        const sides = many.at(-1);
        if (sides) outcome.sides = sides;
      }
      return outcome;
    } finally {
      await Promise.all([on.close(), off.close()]);
    }
  },
};
