// Questions of AuthZEN.
import { deriveSessionId } from '../../bodies.ts';
import { agentKeys, everybody } from '../access.ts';
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
    'GET /.well-known/authzen-configuration': everybody,
  },
  examples: {
    'POST /access/v1/evaluation': ({ agentId, mark }) => ({ body: createQuestion(agentId, mark) }),
    'POST /access/v1/evaluations': askAll,
    'GET /.well-known/authzen-configuration': sendNothing,
  },
  freeForm: {
    'POST /access/v1/evaluation': FREE,
    'POST /access/v1/evaluations': [
      ...FREE,
      ...UNUSED,
      ...FREE.map((name) => `evaluations.0.${name}`),
    ],
  },
};
