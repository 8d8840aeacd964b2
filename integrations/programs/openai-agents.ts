// An agent of OpenAI Agents that suspends: the state of its run is all that the next process gets.
import { json } from 'node:stream/consumers';
import { resumeAll } from '@assay/sdk/openai-agents';
import { run, RunState } from '@openai/agents';
import { createAgent } from '../setup/openai-agent.ts';
import type { Order, Report } from '../setup/program.ts';
import { type Done, type Plan, planRefund } from '../setup/tools.ts';

interface State {
  /** Unique ids, as a provider gives them. */
  ids: [string, string];
  kept?: string;
}

const { state } = (await json(process.stdin)) as Order;
const { ids, kept } = state as State;
const done: Done[] = [];
const plan: Plan = [[planRefund({}, ids[0]), planRefund({ order: 'A-18' }, ids[1])]];
const agent = createAgent(plan, done, { onHold: 'suspend' });

function writeReport(next: string, output: string | undefined): void {
  const told = output === undefined ? [] : (JSON.parse(output) as string[]);
  const report: Report = { state: { ids, kept: next }, done, told };
  process.stdout.write(JSON.stringify(report));
}

if (kept === undefined) {
  const begun = await run(agent, 'Refund order A-17');
  writeReport(begun.state.toString(), begun.finalOutput);
} else {
  const restored = await RunState.fromString(agent, kept);
  if ((await resumeAll(restored)) > 0) writeReport(kept, undefined);
  else {
    const resumed = await run(agent, restored);
    writeReport(kept, resumed.finalOutput);
  }
}
