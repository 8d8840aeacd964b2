// What the examples of all guides find in an application: a request, a plan for the fake model, and a place to keep things.
import { readFile, writeFile } from 'node:fs/promises';
import { type Done, type Plan, planRefund } from '../setup/tools.ts';

export const prompt = 'Refund order A-17';
export const messages = [{ role: 'user' as const, content: prompt }];
/** An id that is unique, as a provider gives it, and the same for all examples of a guide. */
export const plan: Plan = [[planRefund({}, process.env.CALL_ID)]];
export const done: Done[] = [];

const file = process.env.STATE_FILE ?? '';
export const save = (state: unknown): Promise<void> => writeFile(file, JSON.stringify(state));
export const load = async () => JSON.parse(await readFile(file, 'utf8'));
