// What the page of tools reads, and how an entry is listed or replaced without losing others of its name.
import { EFFECTS, toSnakeCase } from '@assay/policy/tool-words';
import { ApiError } from '../../api/api-error.ts';
import { api, readData, readEnvelope } from '../../api/client.ts';
import type { components } from '../../api/schema.gen.d.ts';
import { createPagedQuery } from '../../parts/lists/paged-list.tsx';

export type CatalogueTool = components['schemas']['Tool'];
export type CatalogueEntry = components['schemas']['ToolEntry'];

/** As a tool counts that is not listed. */
export const STRICTEST: CatalogueEntry = {
  server: null,
  match: {},
  does: [...EFFECTS],
  gives: ['private', 'untrusted'],
  outside: null,
  directory: false,
  roles: {},
  after: [],
};

export const createToolsQuery = (search: string | undefined) =>
  createPagedQuery(['tools', 'list', search ?? ''], (page, signal) => {
    const query = { page, limit: 100, ...(search !== undefined && { search }) };
    return readEnvelope(api.GET('/api/v1/tools', { params: { query }, signal }));
  });

/** Absent: the default workspace. */
export const toWorkspaceHeader = (workspaceId: string) =>
  workspaceId === '' ? {} : { header: { 'x-workspace-id': workspaceId } };

const PAGE_SIZE = 200;

/** All tools of a workspace. */
async function readCatalogue(workspaceId: string, page = 1): Promise<CatalogueTool[]> {
  const query = { page, limit: PAGE_SIZE };
  const { data, pagination } = await readEnvelope(
    api.GET('/api/v1/tools', { params: { query, ...toWorkspaceHeader(workspaceId) } }),
  );
  const isLast = !pagination || page >= pagination.pages;
  return isLast ? data : [...data, ...(await readCatalogue(workspaceId, page + 1))];
}

export interface EntryChange {
  workspaceId: string;
  name: string;
  /** Absent: it stays. */
  description?: string;
  /** Null: the entry is a further one of its name. */
  before: CatalogueEntry | null;
  after: CatalogueEntry;
}

/** Whether the service gives the same text for both. */
const isSame = (one: CatalogueEntry, other: CatalogueEntry): boolean =>
  JSON.stringify(one) === JSON.stringify(other);

/** @throws ApiError where the entry is not there any more */
function putInPlace(
  entries: readonly CatalogueEntry[],
  { before, after }: EntryChange,
): CatalogueEntry[] {
  if (before === null) return [...entries, after];
  const at = entries.findIndex((entry) => isSame(entry, before));
  if (at < 0)
    throw new ApiError(409, null, { error: 'The entry is not as it was', code: 'CHANGED' });
  return entries.with(at, after);
}

/** A `PUT` replaces all entries of a name: the others are read first, and sent as they are. @throws ApiError */
export async function saveEntry(change: EntryChange): Promise<CatalogueTool> {
  const { workspaceId, name, description } = change;
  const tools = await readCatalogue(workspaceId);
  const listed = tools.find((tool) => toSnakeCase(tool.name) === toSnakeCase(name));
  const entries = putInPlace(listed?.entries ?? [], change);
  return readData(
    api.PUT('/api/v1/tools/{name}', {
      params: { path: { name: listed?.name ?? name }, ...toWorkspaceHeader(workspaceId) },
      body: { entries, ...(description !== undefined && { description }) },
    }),
  );
}

export const removeListedTool = ({ name, workspaceId }: CatalogueTool) =>
  readData(
    api.DELETE('/api/v1/tools/{name}', {
      params: { path: { name }, ...toWorkspaceHeader(workspaceId) },
    }),
  );
