// The device flow.
import { assertOk } from '../../../setup/personas.ts';
import { toForm } from '../../requests.ts';
import type { Tenant } from '../../tenant.ts';
import { everybody, signedIn } from '../access.ts';
import type { ResourceExamples } from '../example.ts';

const path = '/api/v1/auth/device';

interface Codes {
  device_code: string;
  user_code: string;
}

async function createCodes({ harness, mark }: Tenant): Promise<Codes> {
  const form = toForm({ client_id: `${mark} client` });
  return assertOk(await harness.app.call('POST', `${path}/code`, form)).body as Codes;
}

async function createApprovedCode(tenant: Tenant): Promise<string> {
  const { device_code: deviceCode, user_code: userCode } = await createCodes(tenant);
  const { token } = tenant.owner;
  const body = { userCode, decision: 'approve' };
  assertOk(await tenant.harness.app.call('POST', `${path}/approve`, { token, body }));
  return deviceCode;
}

export const device: ResourceExamples = {
  access: {
    'POST /api/v1/auth/device/code': everybody,
    'POST /api/v1/auth/device/token': everybody,
    'GET /api/v1/auth/device/approve': signedIn,
    'POST /api/v1/auth/device/approve': signedIn,
  },
  freeForm: {
    'POST /api/v1/auth/device/code': ['client_id'],
    'POST /api/v1/auth/device/token': ['client_id'],
  },
  examples: {
    'POST /api/v1/auth/device/code': ({ mark }) => ({ form: { client_id: `${mark} client` } }),
    'POST /api/v1/auth/device/token': async (tenant) => ({
      form: {
        grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
        device_code: await createApprovedCode(tenant),
        client_id: `${tenant.mark} client`,
      },
    }),
    'GET /api/v1/auth/device/approve': async (tenant) => ({
      query: { userCode: (await createCodes(tenant)).user_code },
    }),
    'POST /api/v1/auth/device/approve': async (tenant) => ({
      body: { userCode: (await createCodes(tenant)).user_code, decision: 'approve' },
    }),
  },
};
