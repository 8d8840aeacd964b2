// Inputs and views of the tool catalogue (decisions: tools).
import { z } from 'zod';
import {
  ARGUMENT_ROLES,
  checkTool,
  EFFECTS,
  toolLimits,
  toolPresets,
  toSnakeCase,
  type ToolEntry,
} from '@assay/policy';
import { truncate } from '@assay/json';
import { PROPOSAL_STATES } from '../../domain/policies/tool-proposals.ts';
import { nameSchemas } from '../../http/declaration/schema-names.ts';
import { optional, withDefault } from '../../http/declaration/optional.ts';
import { boundedList, id, instant, multiLine } from '../../http/declaration/views.ts';
import { digestParams } from '../policies.schemas.ts';

/** The largest catalogue in JSON, with escapes. */
export const TOOLS_BODY_BYTES = 1024 * 1024;
/** Readings of one tool. */
const ENTRIES_MAX = 20;

/** A name in a path; the service says what is wrong with one that is given to a tool. */
export const byToolName = z.object({ name: z.string().min(1).max(toolLimits.name) });
export const byToolDigest = digestParams;

const text = z.string().max(toolLimits.name);
const texts = boundedList(text, toolLimits.members);
const role = z.enum(ARGUMENT_ROLES);
const effect = z.enum(EFFECTS);
const effects = z.array(effect).max(EFFECTS.length);

const server = text.nullable().describe('The MCP server that has it; null: any, or none');
const match = z
  .record(z.string(), z.string())
  .describe(
    'RE2 patterns by the path of an argument, such as `arguments.command`: it is this tool where all of them match',
  );
const does = effects.describe('What a call does in the world');
const gives = z
  .array(z.string())
  .describe('What its result may hold: `untrusted`, `private`, `secret`, `internal`, or own words');
const OUTSIDE =
  'Fields of the result that people outside may write; null: all of it, where it gives `untrusted`';
const outside = texts.nullable().describe(OUTSIDE);
const directory = z.boolean().describe('Whether whole values of its result are known names');
const roles = z
  .record(z.string(), role)
  .describe('What each argument is; one without a role is a destination');
const after = texts.describe('Tools that the session has to have used before');

/** What is left out has the strictest reading. */
export const toolEntryInput: z.ZodType<ToolEntry> = z.strictObject({
  server: withDefault(server, null),
  match: withDefault(match, {}),
  does,
  gives,
  outside: withDefault(outside, null),
  directory: withDefault(directory, false),
  roles: withDefault(roles, {}),
  after: withDefault(after, []),
});
const entryMembers = {
  server,
  match,
  does,
  gives,
  outside: z.array(z.string()).nullable().describe(OUTSIDE),
  directory,
  roles,
  after: z.array(z.string()),
};
export const toolEntryView: z.ZodType<ToolEntry, ToolEntry> = z.object(entryMembers);

/** Any name will do: that of the path is checked by the service. */
const STAND_IN = 'tool';

/** Says what is wrong with entries, each at its path, and which stand there twice. */
function addEntryIssues(entries: readonly ToolEntry[], context: z.RefinementCtx): void {
  const seen = new Set<string>();
  for (const [at, entry] of entries.entries()) {
    for (const { path, text: message } of checkTool({ name: STAND_IN, ...entry }))
      context.addIssue({ code: 'custom', path: [at, ...splitProblemPath(path)], message });
    const key = JSON.stringify([entry.server, Object.entries(entry.match).sort()]);
    if (seen.has(key))
      context.addIssue({
        code: 'custom',
        path: [at],
        message: 'must differ from the others in server or match',
      });
    seen.add(key);
  }
}

/** `roles["a.b"]` names one member. */
function splitProblemPath(path: string): (string | number)[] {
  const [, member = path, inner] = /^(\w+)\[(.+)\]$/s.exec(path) ?? [];
  return inner === undefined ? [member] : [member, JSON.parse(inner) as string | number];
}

const entries = boundedList(toolEntryInput, ENTRIES_MAX, 1)
  .superRefine(addEntryIssues)
  .describe('What the tool may be; of several that match a call, each counts');
const description = multiLine(500)
  .or(z.literal(''))
  .describe('Absent or null: it stays as it is; an empty text takes it away');

export const toolInput = z.strictObject({ description: optional(description), entries });

/** Tools of one proposed change. */
const CHANGED_MAX = 100;
const changedTool = z.strictObject({
  name: text.min(1),
  description: optional(description),
  entries: z
    .union([entries, z.null()])
    .describe('What it may be from then on; null: it is taken off the list'),
});
/** What is proposed of tools. */
export const toolsChange = z.strictObject({
  tools: boundedList(changedTool, CHANGED_MAX, 1).superRefine((tools, context) => {
    const seen = new Set<string>();
    for (const [at, { name }] of tools.entries()) {
      if (seen.has(toSnakeCase(name)))
        context.addIssue({ code: 'custom', path: [at, 'name'], message: 'must stand there once' });
      seen.add(toSnakeCase(name));
    }
  }),
});
const shownEntries = z.array(toolEntryView).nullable();
export const proposedToolsView = z
  .array(
    z.object({
      name: z.string(),
      description: z.string(),
      before: shownEntries,
      after: shownEntries,
    }),
  )
  .describe('What each tool may be, before and after; null: it is not listed');

const members = {
  name: z.string(),
  workspaceId: id,
  description: z.string(),
  entries: z.array(toolEntryView),
  changedBy: id.nullable(),
  createdAt: instant,
  updatedAt: instant,
};
export const listedToolView = z.object(members);
export type ToolView = z.input<typeof listedToolView>;
export const deletedToolView = z.object({ name: z.string(), deleted: z.literal(true) });

export const toolQuery = z.object({
  server: optional(text.min(1)).describe('Those of this MCP server'),
  search: optional(z.string().min(1).max(100)).describe('A part of the name, in any case'),
});

/** Tools of one server in an import. */
const IMPORTED_MAX = 500;
const hint = optional(z.boolean());
const serverTool = z.object({
  name: text.min(1),
  description: optional(z.string().transform(toDescription)),
  annotations: optional(
    z.object({ readOnlyHint: hint, destructiveHint: hint, openWorldHint: hint }),
  ),
});
const apply = withDefault(z.boolean(), false).describe(
  'True: lists what is new or stricter; what would loosen is left alone',
);
const serverName = optional(text.min(1).nullable());
export const toolImport = z.union([
  z.strictObject({
    mcp: z
      .object({ tools: boundedList(serverTool, IMPORTED_MAX, 1) })
      .describe('The result of `tools/list`. Hints tighten what is listed, and never loosen it'),
    server: serverName.describe('What the server is called here'),
    apply,
    preset: z.null().exactOptional(),
  }),
  z.strictObject({
    preset: z.enum(toolPresets.map(({ id: preset }) => preset)),
    server: serverName.describe('What the server is called here; absent: as in the preset'),
    apply,
    mcp: z.null().exactOptional(),
  }),
]);

/** A text of a server as a description: one line, and cut off. */
function toDescription(given: string): string {
  return truncate(given.replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim(), 500);
}

const proposal = z.object({
  name: z.string(),
  description: z.string().exactOptional(),
  entry: toolEntryView,
  state: z.enum(PROPOSAL_STATES).describe('What it would be to what is listed'),
  listed: toolEntryView.nullable(),
});
export const toolImportView = z.object({
  tools: z.array(proposal),
  applied: z.array(z.string()).describe('The tools that were listed or tightened'),
});
export type ToolImportView = z.input<typeof toolImportView>;

export const unlistedToolsView = z.object({
  since: instant.describe('How far back decisions were read'),
  decisions: z.int().describe('How many were read, at most 1,000 of the last 30 days'),
  tools: z.array(
    z.object({
      name: z.string(),
      server: z.string().nullable(),
      workspaceId: z.string(),
      calls: z.int(),
      lastCalledAt: instant,
      agents: z.array(z.string()).describe('At most ten'),
    }),
  ),
});
export type UnlistedTools = z.input<typeof unlistedToolsView>;

export const toolSetView = z.object({
  digest: z.string().describe('SHA-256 of the lists as canonical JSON, each entry with its name'),
  lists: z
    .array(z.array(z.object({ name: z.string(), entry: toolEntryView })))
    .describe('The tools of each workspace that had a say'),
  createdAt: instant,
});

export type ToolSetView = z.input<typeof toolSetView>;

nameSchemas({
  ToolEffect: effect,
  ArgumentRole: role,
  ToolImportInput: toolImport,
  ToolImport: toolImportView,
  UnlistedTools: unlistedToolsView,
  ToolEntryInput: toolEntryInput,
  ToolEntry: toolEntryView,
  ToolInput: toolInput,
  ToolsChangeInput: toolsChange,
  ProposedTools: proposedToolsView,
  Tool: listedToolView,
  DeletedTool: deletedToolView,
  ToolSet: toolSetView,
});
