// The privacy budget, and the noised queries that spend it (document 3, section 4.5).
import { MANAGERS, WRITERS } from '../../domain/identity/roles.ts';
import { reply, route } from '../../http/declaration/define-route.ts';
import {
  budgetView,
  capsInput,
  noisedAnswerView,
  noisedQueryInput,
} from './privacy-budget.schemas.ts';
import { answerQuery } from './noised-query.service.ts';
import { changeCaps, getBudget, loadCurrentBudget } from './privacy-budget.service.ts';

const plan = 'privacyBudget';
const resource = 'privacy-budget';

export const privacyBudgetRoutes = [
  route({
    method: 'get',
    path: '/',
    summary: 'The budget of the current window, made by the first call',
    auth: 'reader',
    agentScope: 'irrelevant',
    plan,
    data: budgetView,
    handler: ({ ctx }) => getBudget(ctx),
  }),
  route({
    method: 'patch',
    path: '/caps',
    summary: 'Change caps and the length of the window',
    auth: 'user',
    roles: MANAGERS,
    plan,
    body: capsInput,
    data: budgetView,
    audit: { action: 'compliance.privacy-budget.updated', resource },
    prepare: ({ ctx }) => loadCurrentBudget(ctx.platform, ctx.tenant.organizationId),
    async handler({ ctx, body }) {
      const changed = await changeCaps(ctx, body);
      return reply(200, changed, { audit: { resourceId: String(changed._id), metadata: body } });
    },
  }),
  route({
    method: 'post',
    path: '/query',
    summary: 'Counts or means of decisions with noise, paid for out of the budget',
    auth: 'user',
    roles: WRITERS,
    plan,
    heavy: true,
    writes: 'own',
    body: noisedQueryInput,
    data: noisedAnswerView,
    codes: ['PRIVACY_BUDGET_EXHAUSTED'],
    audit: { action: 'compliance.privacy-budget.query', resource },
    async handler({ ctx, body }) {
      const answer = await answerQuery(ctx, body);
      return reply(200, answer, { audit: { metadata: body } });
    },
  }),
];
