// Inputs and views of saved views.
import { z } from 'zod';
import { withDefault } from '../../../http/declaration/optional.ts';
import { nameSchemas } from '../../../http/declaration/schema-names.ts';
import { createDeletedView, id, instant } from '../../../http/declaration/views.ts';

/** Views of one member, and of one workspace. */
export const VIEWS_MAX = 100;

const name = z.string().trim().min(1).max(80);
const query = z
  .string()
  .trim()
  .max(2_000)
  .describe('The search as it stands in the address of the console, as in `tool=cancel_*`');
export const savedViewInput = z.object({
  name,
  query,
  shared: withDefault(z.boolean(), false).describe(
    'For everyone in the workspace, by an owner or admin; else for oneself',
  ),
});
export type SavedViewInput = z.output<typeof savedViewInput>;

export const savedViewView = z.object({
  _id: id,
  name: z.string(),
  query: z.string(),
  shared: z.boolean(),
  workspaceId: id.nullable().describe('Of a shared one; null: one’s own, in every workspace'),
  createdBy: id,
  createdAt: instant,
});
export type SavedView = z.input<typeof savedViewView>;
export const deletedSavedView = createDeletedView();

nameSchemas({
  SavedViewInput: savedViewInput,
  SavedView: savedViewView,
  DeletedSavedView: deletedSavedView,
});
