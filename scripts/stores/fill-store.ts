// Fills the store of a running instance over HTTP with a record of every kind that versions store differently.
import type { Api } from '../demo/api.ts';
import { readDecisions } from '../demo/decisions.ts';
import { postAll } from '../demo/post.ts';

/** What a test needs to know of a store; nothing of it is secret. */
export interface StoreFacts {
  email: string;
  password: string;
  organizationId: string;
  key: string;
  agentId: string;
  /** Object ids, newest first. */
  traceIds: string[];
  /** Object ids of decisions that were erased. */
  erased: string[];
  /** Body of a decision that was posted, and the sequence that it got. */
  replayed: { body: string; sequence: number };
  /** Steps that the version does not know. */
  unknown: string[];
}

interface Trace {
  _id: string;
  traceId: string;
  status: string;
  hashChain?: { sequence: number };
  review?: { id?: string; _id?: string } | null;
}

const TEMPLATES = ['spending-review', 'money-out', 'irreversible-actions', 'access-changes'];
const ACCOUNT = {
  name: 'Ada',
  email: 'ada@example.com',
  password: 'Correct-Horse-9',
  organizationName: 'Example',
};

/** Calls that every version knows, and calls that some do not know, which are noted. */
function createCalls(api: Api, token: string, unknown: string[]) {
  return {
    get: <T>(path: string) => api.get<T>(`/api/v1${path}`, token),
    post: <T>(path: string, body: object) => api.post<T>(`/api/v1${path}`, body, token),
    async tryTo<T>(method: string, path: string, body: object): Promise<T | undefined> {
      const call = { credential: token, body: JSON.stringify(body) };
      const { status, data, failure } = await api.sendRequest<T>(method, `/api/v1${path}`, call);
      if (status === 404 || status === 405)
        unknown.push(`${method} ${path.replace(/[0-9a-f]{24}/, ':id')}`);
      else if (failure !== null) throw new Error(`${method} ${path}: ${failure}`);
      return data;
    },
  };
}
type Calls = ReturnType<typeof createCalls>;

async function reviewSome({ get, tryTo }: Calls): Promise<void> {
  const pending = await get<Trace[] | { items: Trace[] }>('/review-queue?status=pending').catch(
    () => [],
  );
  const [approved, rejected, escalated, assigned, unexplained] = Array.isArray(pending)
    ? pending
    : pending.items;
  const decided: [Trace | undefined, string][] = [
    [approved, 'approve'],
    [rejected, 'reject'],
  ];
  for (const [item, decision] of decided) {
    if (!item) continue;
    const body = { decision, reason: `Checked by hand: ${decision}` };
    await tryTo('POST', `/review-queue/${item._id}/decision`, body);
  }
  if (escalated)
    await tryTo('POST', `/review-queue/${escalated._id}/escalate`, { reason: 'Over my limit' });
  if (unexplained) await tryTo('POST', `/review-queue/${unexplained._id}/escalate`, {});
  if (assigned) await tryTo('PATCH', `/review-queue/${assigned._id}/assign`, { assignedTo: null });
}

async function attestSome({ tryTo }: Calls): Promise<void> {
  const clause = { framework: 'iso-42001', clauseId: '6.1', evidence: 'The plan of the year' };
  await tryTo('PATCH', '/compliance/mapping', { ...clause, status: 'partial' });
  await tryTo('PATCH', '/compliance/mapping', { ...clause, status: 'covered' });
}

/** Erases decisions in every way that the version has: by purge and by certified erasure. */
async function eraseSome({ post, tryTo }: Calls, traces: readonly Trace[]): Promise<string[]> {
  const [deleted, requested] = traces as [Trace, Trace];
  await post('/traces/bulk-delete', { ids: [deleted._id] });
  const request = { traceIds: [requested.traceId], reason: 'Asked for by the customer' };
  const acknowledged = await tryTo<{ acknowledgementId: string; impactDigest: string }>(
    'POST',
    '/erasure/acknowledge',
    request,
  );
  if (!acknowledged) return [deleted._id];
  const { acknowledgementId, impactDigest } = acknowledged;
  await post('/erasure/execute', { acknowledgementId, impactDigest });
  return [deleted._id, requested._id];
}

async function appendCorrections({ tryTo }: Calls, traces: readonly Trace[]): Promise<void> {
  const [approved, corrected] = traces as [Trace, Trace];
  await tryTo('POST', '/cpi/ingest', { traceId: approved.traceId, action: 'approve' });
  await tryTo('POST', '/cpi/ingest', {
    traceId: corrected.traceId,
    correctedDecision: { tool: 'escalate', arguments: { team: 'refunds' } },
    feedbackNotes: 'A colleague has to look at this.',
  });
}

export async function fillStore(api: Api, file: string, limit: number): Promise<StoreFacts> {
  const registered = await api.post<{ token: string; organizationId: string }>(
    '/api/v1/auth/register',
    ACCOUNT,
  );
  const { token, organizationId } = registered;
  const unknown: string[] = [];
  const calls = createCalls(api, token, unknown);
  const decisions = readDecisions(file, limit);
  const agent = await calls.post<{ _id: string }>('/agents', { name: decisions[0]?.agent });
  for (const templateId of TEMPLATES) await calls.post('/policies/from-template', { templateId });
  const { key } = await calls.post<{ key: string }>('/auth/keys', { name: 'ingestion' });
  const posted = await postAll(decisions, { api, key, concurrency: 1, onAnswer: () => undefined });
  const recorded = posted.filter(({ verdict }) => verdict !== undefined);
  const listed = await calls.get<Trace[] | { traces: Trace[] }>(`/traces?limit=100`);
  const traces = Array.isArray(listed) ? listed : listed.traces;
  const ingested = traces.filter(({ status }) => status === 'approved');
  await reviewSome(calls);
  await appendCorrections(createCalls(api, key, unknown), ingested.slice(4, 6));
  await attestSome(calls);
  // An organisation has vectors only after its first memory search.
  await calls.tryTo('POST', '/traces/memory', { query: 'a refund' });
  await calls.post('/traces/bulk-status', { ids: [ingested[2]?._id], status: 'success' });
  const erased = await eraseSome(calls, ingested);
  const [first] = recorded;
  return {
    email: ACCOUNT.email,
    password: ACCOUNT.password,
    organizationId,
    key,
    agentId: agent._id,
    traceIds: traces.map(({ _id }) => _id),
    erased,
    replayed: {
      body: first?.decision.line ?? '',
      sequence: first?.verdict?.hashChain.sequence ?? 0,
    },
    unknown,
  };
}
