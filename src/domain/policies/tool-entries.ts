// Entries of the catalogue: what a tool of one name may be, by its server and its arguments.
import { canonicalize, type Json } from '@assay/json';
import type { Tool, ToolEntry } from '@assay/policy';

/** A tool as it is stored: its entries as JSON text. */
interface StoredTool {
  name: string;
  entries: string;
}

/** In an order of their own, so that the same entries are the same text. */
export const serializeEntries = (entries: readonly ToolEntry[]): string =>
  `[${entries
    .map((entry) => canonicalize(entry as unknown as Json))
    .sort()
    .join()}]`;

export const parseEntries = (stored: Pick<StoredTool, 'entries'>): ToolEntry[] =>
  JSON.parse(stored.entries) as ToolEntry[];

/** The tools of stored entries, as they are compiled. */
export const toTools = (stored: StoredTool): Tool[] =>
  parseEntries(stored).map((entry) => ({ name: stored.name, ...entry }));

/** What a tool of one name may be, before and after a change; null: it is not listed. */
interface ToolChange {
  name: string;
  description: string;
  before: ToolEntry[] | null;
  after: ToolEntry[] | null;
}

/** A proposed change of tools of one workspace. */
export interface ToolsChange {
  tools: ToolChange[];
}
