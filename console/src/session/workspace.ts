// The workspace that the pages show: chosen in this browser, one for each organisation.
import { setWorkspace } from '../api/client.ts';
import { finishWork } from './before-leaving.ts';
import { keepInBrowser, readKept } from './browser-storage.ts';

const toName = (organizationId: string): string => `assay-workspace-${organizationId}`;

/** Shows what was chosen before. */
export const enterWorkspace = (organizationId: string): void =>
  setWorkspace(readKept(toName(organizationId)));

/** Null: all workspaces are shown. Everything on screen is read again. */
export async function changeWorkspace(organizationId: string, id: string | null): Promise<void> {
  await finishWork();
  keepInBrowser(toName(organizationId), id);
  location.reload();
}
