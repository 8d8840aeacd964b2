// The application of the guide to the Claude Agent SDK.
import { startMessagesApi } from '../setup/messages-api.ts';
import { createOptions } from '../setup/claude-agent.ts';
import { done, plan } from './common.ts';

export { prompt } from './common.ts';
const api = await startMessagesApi();
api.plan = plan;
export const options = createOptions({ url: api.url, folder: process.env.FOLDER ?? '', done });
