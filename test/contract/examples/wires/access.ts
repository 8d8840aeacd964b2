// Questions of AuthZEN, and requests of what was denied.
import { generateHex } from '../../../../src/platform/ids.ts';
import { assertOk } from '../../../setup/personas.ts';
import { createPolicyBody, deriveSessionId } from '../../bodies.ts';
import { callAsOwner, type Tenant } from '../../tenant.ts';
import { agentKeys, denyForeigner, everybody, readers, writers } from '../access.ts';
import { type Example, type ResourceExamples, sendNothing } from '../example.ts';

/** Asks for the tenant's agent, so that keys of that agent may ask. */
const createQuestion = (agentId: string, mark: string) => ({
  subject: { type: 'agent', id: agentId, properties: { team: mark } },
  action: { name: 'read', properties: { fields: 'all' } },
  resource: { type: 'record', id: 'record 7', properties: { status: mark } },
  context: {
    prompt: `${mark} asks`,
    session_id: deriveSessionId(mark),
    time: '2026-11-21T12:00:00Z',
  },
});

const askAll: Example = ({ agentId, mark }) => {
  const { context, ...question } = createQuestion(agentId, mark);
  const options = { evaluations_semantic: 'execute_all' };
  return { body: { ...question, context, options, evaluations: [structuredClone(question)] } };
};

/** Asks what a policy holds, each time about another record. */
async function createDenial(tenant: Tenant): Promise<Record<string, unknown>> {
  const { harness, key, agentId, mark } = tenant;
  const held = { field: 'outputDecision.action.tool', operator: 'equals', value: `${mark} wipe` };
  const policy = { ...createPolicyBody(mark), conditions: [held] };
  await callAsOwner(tenant, 'POST /api/v1/policies', policy);
  const { context: _, ...question } = createQuestion(agentId, mark);
  const resource = { ...question.resource, id: generateHex(8) };
  const body = { ...question, action: { name: `${mark} wipe` }, resource };
  const { context } = assertOk(
    await harness.app.call('POST', '/access/v1/evaluation', { key, body }),
  ).body;
  const { evaluation_id, access_request } = context;
  return { ...body, denial: { evaluation_id, expires_at: access_request.expires_at } };
}

const nameTask: Example = async (tenant) => {
  const { denial } = await createDenial(tenant);
  return { params: { id: (denial as { evaluation_id: string }).evaluation_id } };
};

const PARTS = ['subject', 'action', 'resource'];
/** Properties and context hold anything. */
const FREE = [
  ...PARTS.map((name) => `${name}.properties`),
  'subject.properties.team',
  'action.properties.fields',
  'resource.properties.status',
  'context',
  'context.prompt',
  'context.session_id',
  'context.time',
];
/** Defaults that no question uses are not looked at. */
const UNUSED = [
  ...PARTS,
  'subject.type',
  'subject.id',
  'action.name',
  'resource.type',
  'resource.id',
];

export const access: ResourceExamples = {
  access: {
    'POST /access/v1/evaluation': agentKeys,
    'POST /access/v1/evaluations': agentKeys,
    'POST /access/v1/requests': agentKeys,
    'GET /access/v1/requests/:id': denyForeigner({ ...readers, agentKey: 'ok' }),
    'POST /access/v1/requests/:id/cancel': denyForeigner({
      ...writers,
      workspaceKey: 'ok',
      agentKey: 'ok',
    }),
    'GET /.well-known/authzen-configuration': everybody,
  },
  examples: {
    'POST /access/v1/evaluation': ({ agentId, mark }) => ({ body: createQuestion(agentId, mark) }),
    'POST /access/v1/evaluations': askAll,
    'POST /access/v1/requests': async (tenant) => ({
      body: {
        ...(await createDenial(tenant)),
        context: { business_justification: `${tenant.mark} needs it` },
        requested_access: { requested_until: '2026-12-01T00:00:00Z' },
        client: { actor: { id: tenant.agentId } },
      },
    }),
    'GET /access/v1/requests/:id': nameTask,
    'POST /access/v1/requests/:id/cancel': async (tenant, token) => ({
      ...(await nameTask(tenant, token)),
      body: { reason: 'not_needed', comment: `${tenant.mark} comment` },
    }),
    'GET /.well-known/authzen-configuration': sendNothing,
  },
  freeForm: {
    'POST /access/v1/evaluation': FREE,
    'POST /access/v1/requests': ['context', 'requested_access', 'client.actor'].concat(FREE),
    'POST /access/v1/evaluations': [
      ...FREE,
      ...UNUSED,
      ...FREE.map((name) => `evaluations.0.${name}`),
    ],
  },
};
