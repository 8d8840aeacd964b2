// Three tools: one whose calls a policy holds, one whose calls a policy blocks, and one that is free.
import { z } from 'zod';

export interface Refund {
  order: string;
  to: string;
  amount: number;
}

/** What a tool did. */
export interface Done {
  tool: string;
  args: unknown;
}

export const refund: Refund = { order: 'A-17', to: 'jo.doe@example.com', amount: 90 };

export const SCHEMAS = {
  issue_refund: z.object({ order: z.string(), to: z.string(), amount: z.number() }),
  wire: z.object({ amount: z.number() }),
  look_up: z.object({ order: z.string() }),
};
export type ToolName = keyof typeof SCHEMAS;
export const TOOL_NAMES = Object.keys(SCHEMAS) as ToolName[];

/** One call that a fake model makes. */
export interface Planned {
  id: string;
  tool: ToolName;
  args: object;
}

/** The calls of each turn; after the last the model ends. */
export type Plan = readonly (readonly Planned[])[];

export const planRefund = (args: Partial<Refund> = {}, id = 'call-1'): Planned => ({
  id,
  tool: 'issue_refund',
  args: { ...refund, ...args },
});

/** Carries a tool out: what it did is all that it does. */
export function recordCall(done: Done[], tool: string, args: unknown): string {
  done.push({ tool, args });
  return `done: ${tool} ${JSON.stringify(args)}`;
}
