// How presets are written down: what is alike of many tools is said once.
import type { Tool, ToolEntry } from './tool.ts';

/** Names with blanks between them, and what each of these tools is; absent members have the strictest reading. */
export type PresetTools = readonly (readonly [
  names: string,
  entry: Pick<Tool, 'does' | 'gives'> & Partial<ToolEntry>,
])[];

const STRICTEST = {
  match: {},
  outside: null,
  directory: false,
  roles: {},
  after: [],
} as const;

/** The tools of a preset, of one server. */
export const makeTools = (presets: PresetTools, server: string | null): Tool[] =>
  presets.flatMap(([names, entry]) =>
    names.split(' ').map((name) => ({ name, server, ...STRICTEST, ...entry })),
  );
