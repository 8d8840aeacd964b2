// The tools that an organisation lists.
import { generateHex } from '../../../../src/platform/ids.ts';
import { loadCatalogue } from '../../../../src/policies/tools/tool-sets.service.ts';
import { callAsOwner, type Tenant } from '../../tenant.ts';
import { denyForeigner, managers, readers, writers } from '../access.ts';
import { endOthers } from './approvals.ts';
import { page, type ResourceExamples, sendNothing } from '../example.ts';

const path = 'PUT /api/v1/tools/:name';

const createEntry = (mark: string) => ({
  server: `${mark} server`,
  match: { 'arguments.command': `^${mark}` },
  does: ['write'],
  gives: ['private'],
  outside: ['*.body'],
  directory: false,
  roles: { recipients: 'destination' },
  after: [`${mark} backup`],
});

async function listTool(tenant: Tenant): Promise<string> {
  const name = `tool_${generateHex(6)}`;
  const body = {
    description: `${tenant.mark} description`,
    entries: [createEntry(tenant.mark)],
  };
  await callAsOwner(tenant, path.replace(':name', name), body);
  return name;
}

export const tools: ResourceExamples = {
  access: {
    'GET /api/v1/tools': readers,
    'GET /api/v1/tools/sets/:digest': denyForeigner(readers),
    'GET /api/v1/tools/unlisted': readers,
    'POST /api/v1/tools/import': managers,
    [path]: managers,
    'DELETE /api/v1/tools/:name': denyForeigner(managers),
    'POST /api/v1/tools/approvals': writers,
  },
  examples: {
    'GET /api/v1/tools': ({ mark }) => ({ query: { ...page, server: mark, search: 'tool' } }),
    'GET /api/v1/tools/sets/:digest': async (tenant) => {
      await listTool(tenant);
      const { organizationId, workspaceId: workspaces } = tenant.owner;
      const { platform } = tenant.harness.app.instance;
      const catalogue = await loadCatalogue(platform, { organizationId, workspaces });
      return { params: { digest: catalogue?.digest ?? '' } };
    },
    'GET /api/v1/tools/unlisted': sendNothing,
    'POST /api/v1/tools/import': ({ mark }) => ({
      body: {
        server: `${mark} server`,
        apply: true,
        mcp: {
          tools: [
            {
              name: `tool_${generateHex(6)}`,
              description: `${mark} text`,
              annotations: { readOnlyHint: true, destructiveHint: false, openWorldHint: false },
            },
          ],
        },
      },
    }),
    [path]: ({ mark }) => ({
      params: { name: `tool_${generateHex(6)}` },
      body: { description: `${mark} text`, entries: [createEntry(mark)] },
    }),
    'DELETE /api/v1/tools/:name': async (tenant) => ({ params: { name: await listTool(tenant) } }),
    'POST /api/v1/tools/approvals': async (tenant) => {
      await endOthers(tenant);
      const name = `tool_${generateHex(6)}`;
      const { mark } = tenant;
      return {
        body: { tools: [{ name, description: `${mark} text`, entries: [createEntry(mark)] }] },
      };
    },
  },
  /** Tools are called as their agents call them. */
  freeForm: { [path]: ['name'] },
};
