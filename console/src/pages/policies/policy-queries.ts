// What the pages of policies read, and the draft that they share.
import { queryOptions } from '@tanstack/react-query';
import { api, readData, readEnvelope } from '../../api/client.ts';
import type { components } from '../../api/schema.gen.d.ts';

export type Policy = components['schemas']['Policy'];
export type PolicyContents = components['schemas']['PolicyContents'];
export type Effect = components['schemas']['PolicyEffect'];
export type Approval = components['schemas']['PolicyApproval'];
export type ListChange = components['schemas']['ProposedListChange'];

const toPath = (id: string) => ({ params: { path: { id } } });

export const createPolicyQuery = (id: string) =>
  queryOptions({
    queryKey: ['policies', id],
    queryFn: () => readData(api.GET('/api/v1/policies/{id}', toPath(id))),
  });

export const createSourceQuery = (id: string) =>
  queryOptions({
    queryKey: ['policies', id, 'source'],
    queryFn: () => readData(api.GET('/api/v1/policies/{id}/adl', toPath(id))),
  });

export const createEffectQuery = (id: string) =>
  queryOptions({
    queryKey: ['policies', id, 'effect'],
    queryFn: () => readData(api.GET('/api/v1/policies/{id}/effect', toPath(id))),
    staleTime: 10_000,
  });

/** The named lists that conditions may refer to. */
export const listsQuery = queryOptions({
  queryKey: ['policy-lists'],
  queryFn: () => readData(api.GET('/api/v1/policy-lists')),
  staleTime: 30_000,
});

export const createListQuery = (name: string) =>
  queryOptions({
    queryKey: ['policy-lists', name],
    queryFn: () => readData(api.GET('/api/v1/policy-lists/{name}', { params: { path: { name } } })),
  });

/** The values behind a digest, which never change. */
export const createContentsQuery = (digest: string) =>
  queryOptions({
    queryKey: ['policy-list-contents', digest],
    queryFn: () =>
      readData(api.GET('/api/v1/policy-lists/contents/{digest}', { params: { path: { digest } } })),
    staleTime: Infinity,
  });

/** Errors with their places, and what a valid source says. */
export const createCheckQuery = (adl: string) =>
  queryOptions({
    queryKey: ['policies', 'check', adl],
    queryFn: ({ signal }) =>
      readData(api.POST('/api/v1/policies/_new/validate-adl', { body: { adl }, signal })),
    staleTime: Infinity,
    gcTime: 60_000,
  });

export const createRevisionsQuery = (id: string) =>
  queryOptions({
    queryKey: ['policies', id, 'revisions'],
    queryFn: () =>
      readData(
        api.GET('/api/v1/policies/{id}/revisions', {
          params: { path: { id }, query: { limit: 50 } },
        }),
      ),
  });

export const createRevisionQuery = (id: string, revision: number) =>
  queryOptions({
    queryKey: ['policies', id, 'revisions', revision],
    queryFn: () =>
      readData(
        api.GET('/api/v1/policies/{id}/revisions/{revision}', {
          params: { path: { id, revision: String(revision) } },
        }),
      ),
    staleTime: Infinity,
  });

export const templatesQuery = queryOptions({
  queryKey: ['policies', 'templates'],
  queryFn: () => readData(api.GET('/api/v1/policies/templates')),
  staleTime: Infinity,
});

/** The rule that a template begins with: it observes at first. Null: there is no such template. */
export const createTemplateRuleQuery = (template: string | undefined) =>
  queryOptions({
    queryKey: ['policies', 'templates', template],
    enabled: template !== undefined,
    async queryFn({ client }) {
      const [{ formatRule }, templates] = await Promise.all([
        import('./editor/rule-text.ts'),
        client.ensureQueryData(templatesQuery),
      ]);
      const chosen = templates.find(({ id }) => id === template);
      return chosen ? formatRule({ ...chosen, enabled: true, priority: 1, observe: true }) : null;
    },
    staleTime: Infinity,
  });

export const effectivenessQuery = queryOptions({
  queryKey: ['policies', 'effectiveness'],
  queryFn: () => readData(api.GET('/api/v1/policies/effectiveness')),
  staleTime: 30_000,
});

export const createApprovalsQuery = (state: Approval['state'] | undefined) =>
  queryOptions({
    queryKey: ['policies', 'approvals', state ?? 'all'],
    queryFn: () =>
      readEnvelope(
        api.GET('/api/v1/policies/approvals', {
          params: { query: { limit: 100, ...(state && { state }) } },
        }),
      ),
  });

export const createApprovalQuery = (id: string) =>
  queryOptions({
    queryKey: ['policies', 'approvals', 'one', id],
    queryFn: () => readData(api.GET('/api/v1/policies/approvals/{id}', toPath(id))),
  });

export const organizationQuery = queryOptions({
  queryKey: ['organization'],
  queryFn: () => readData(api.GET('/api/v1/organization')),
  staleTime: 60_000,
});

/** Takes from a policy what a change or a trial is given. */
export const toContents = (policy: PolicyContents): PolicyContents => {
  const { name, description, enabled, priority, conditions, actions, observe = false } = policy;
  return { name, description, enabled, priority, conditions, actions, observe };
};

/** The name of the list or policy that a proposed change is about. */
export const readSubject = ({ list, tools, policy }: Approval): string =>
  list?.name ?? tools?.map(({ name }) => name).join(', ') ?? policy?.name ?? '';
