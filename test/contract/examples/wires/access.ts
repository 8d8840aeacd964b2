// Questions of AuthZEN.
import { agentKeys, everybody } from '../access.ts';
import { type Example, type ResourceExamples, sendNothing } from '../example.ts';

/** Asks for the tenant's agent, so that keys of that agent may ask. */
const createQuestion = (agentId: string, mark: string) => ({
  subject: { type: 'agent', id: agentId, properties: { team: mark } },
  action: { name: 'read', properties: { fields: 'all' } },
  resource: { type: 'record', id: `${mark} record`, properties: { status: 'active' } },
  context: { prompt: `${mark} asks`, session_id: `${mark}-run`, time: '2026-11-21T12:00:00Z' },
});

const askAll: Example = ({ agentId, mark }) => {
  const { context, ...question } = createQuestion(agentId, mark);
  const options = { evaluations_semantic: 'execute_all' };
  return { body: { ...question, context, options, evaluations: [question] } };
};

/** Questions are free, and each of several is answered for itself. */
const FREE = ['subject', 'action', 'resource'];
const SINGLE = [
  ...FREE.map((name) => `${name}.properties`),
  'context',
  'context.prompt',
  'context.session_id',
];

export const access: ResourceExamples = {
  access: {
    'POST /access/v1/evaluation': agentKeys,
    'POST /access/v1/evaluations': agentKeys,
    'GET /.well-known/authzen-configuration': everybody,
  },
  examples: {
    'POST /access/v1/evaluation': ({ agentId, mark }) => ({ body: createQuestion(agentId, mark) }),
    'POST /access/v1/evaluations': askAll,
    'GET /.well-known/authzen-configuration': sendNothing,
  },
  freeForm: {
    'POST /access/v1/evaluation': [...SINGLE, 'context.time'],
  },
};
