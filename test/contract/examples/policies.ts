// Policies, their revisions, sets and templates.
import { generateHex } from '../../../src/platform/ids.ts';
import { createPolicyBody } from '../bodies.ts';
import { callAsOwner, type Tenant } from '../tenant.ts';
import { managers, denyForeigner, readers } from './access.ts';
import { type Example, sendNothing, page, type ResourceExamples } from './example.ts';
import { policyApprovals } from './policies/approvals.ts';
import { budgets } from './policies/budgets.ts';
import { policyBundle } from './policies/bundle.ts';
import { policyCanary } from './policies/canary.ts';
import { policyEffectiveness } from './policies/effectiveness.ts';
import { insuranceFeed } from './policies/insurance-feed.ts';
import { policyLanguage } from './policies/language.ts';
import { policyLists } from './policies/lists.ts';
import { policyReplays } from './policies/replays.ts';
import { policyTrials } from './policies/trials.ts';
import { tools } from './policies/tools.ts';

const selectPolicy: Example = ({ policyId }) => ({ params: { id: policyId } });

async function createPolicy(tenant: Tenant): Promise<string> {
  return (await callAsOwner(tenant, 'POST /api/v1/policies', createPolicyBody(tenant.mark)))
    ._id as string;
}

const definitions: ResourceExamples = {
  access: {
    'GET /api/v1/policies': readers,
    'POST /api/v1/policies': denyForeigner(managers),
    'GET /api/v1/policies/:id': denyForeigner(readers),
    'PATCH /api/v1/policies/:id': denyForeigner(managers),
    'DELETE /api/v1/policies/:id': denyForeigner(managers),
    'GET /api/v1/policies/:id/revisions': denyForeigner(readers),
    'GET /api/v1/policies/:id/revisions/:revision': denyForeigner(readers),
    'GET /api/v1/policies/sets/:digest': denyForeigner(readers),
    'GET /api/v1/policies/templates': readers,
    'POST /api/v1/policies/from-template': managers,
  },
  examples: {
    'GET /api/v1/policies': () => ({ query: page }),
    'POST /api/v1/policies': ({ mark, workspaceId }) => ({
      body: { ...createPolicyBody(mark), workspaceId },
    }),
    'GET /api/v1/policies/:id': selectPolicy,
    'PATCH /api/v1/policies/:id': ({ policyId, mark }) => ({
      params: { id: policyId },
      body: createPolicyBody(`${mark} ${generateHex(4)}`),
    }),
    'DELETE /api/v1/policies/:id': async (tenant) => ({
      params: { id: await createPolicy(tenant) },
    }),
    'GET /api/v1/policies/:id/revisions': ({ policyId }) => ({
      params: { id: policyId },
      query: page,
    }),
    'GET /api/v1/policies/:id/revisions/:revision': ({ policyId }) => ({
      params: { id: policyId, revision: '1' },
    }),
    'GET /api/v1/policies/sets/:digest': ({ policySetDigest }) => ({
      params: { digest: policySetDigest },
    }),
    'GET /api/v1/policies/templates': sendNothing,
    'POST /api/v1/policies/from-template': async (tenant) => {
      const [{ id }] = await callAsOwner(tenant, 'GET /api/v1/policies/templates');
      return { body: { templateId: id as string, name: `${tenant.mark} from template` } };
    },
  },
  freeForm: {
    'POST /api/v1/policies': ['conditions.0.value', 'actions.0.config', 'actions.0.config.reason'],
    'PATCH /api/v1/policies/:id': [
      'conditions.0.value',
      'actions.0.config',
      'actions.0.config.reason',
    ],
  },
};

const parts = [
  definitions,
  policyApprovals,
  policyCanary,
  policyLanguage,
  policyTrials,
  policyReplays,
  budgets,
  policyLists,
  tools,
  policyEffectiveness,
  policyBundle,
  insuranceFeed,
];

/** All that is below /policies, and the lists and tools beside it. */
export const policies: ResourceExamples = {
  access: Object.assign({}, ...parts.map(({ access }) => access)) as ResourceExamples['access'],
  examples: Object.assign(
    {},
    ...parts.map(({ examples }) => examples),
  ) as ResourceExamples['examples'],
  freeForm: Object.assign({}, ...parts.map(({ freeForm }) => freeForm)) as NonNullable<
    ResourceExamples['freeForm']
  >,
};
