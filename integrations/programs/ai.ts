// An agent of the AI SDK that suspends: its conversation is all that the next process gets.
import { json } from 'node:stream/consumers';
import { answerRequests } from '@assay/sdk/ai';
import type { ModelMessage } from 'ai6';
import { ASKED, CONVERSATIONS } from '../setup/ai-agents.ts';
import type { Order, Report } from '../setup/program.ts';
import { type Done, planRefund } from '../setup/tools.ts';

interface State {
  version: keyof typeof CONVERSATIONS;
  /** Unique ids, as a provider gives them. */
  ids: [string, string];
  messages?: ModelMessage[];
}

const { state } = (await json(process.stdin)) as Order;
const { version, ids, messages = ASKED } = state as State;
const done: Done[] = [];
const plan = [[planRefund({}, ids[0]), planRefund({ order: 'A-18' }, ids[1])]];
const answer = await answerRequests(messages);
const given = answer ? [...messages, answer] : messages;
const isSettled = answer !== null || messages === ASKED;
const outcome = isSettled
  ? await CONVERSATIONS[version]({ plan, messages: given, done }, { onHold: 'suspend' })
  : { text: '', messages };
const told = outcome.text === '' ? [] : (JSON.parse(outcome.text) as string[]);
const report: Report = { state: { version, ids, messages: outcome.messages }, done, told };
process.stdout.write(JSON.stringify(report));
