// Entries of the catalogue: what a tool of one name may be, by its server and its arguments.
import { canonicalize, type Json } from '@assay/json';
import type { Tool } from '@assay/policy';
import type { ListedToolDocument } from './tools.model.ts';

/** One reading of a tool: where its server and its arguments match. */
export type ToolEntry = Omit<Tool, 'name'>;

type Stored = Pick<ListedToolDocument, 'name' | 'entries'>;

/** In an order of their own, so that the same entries are the same text. */
export const serializeEntries = (entries: readonly ToolEntry[]): string =>
  `[${entries
    .map((entry) => canonicalize(entry as unknown as Json))
    .sort()
    .join()}]`;

export const parseEntries = (stored: Pick<Stored, 'entries'>): ToolEntry[] =>
  JSON.parse(stored.entries) as ToolEntry[];

/** The tools of stored entries, as they are compiled. */
export const toTools = (stored: Stored): Tool[] =>
  parseEntries(stored).map((entry) => ({ name: stored.name, ...entry }));
