// Prepares the demo: an organisation, its agents, policies from templates, a workspace key.
import { generateHex } from '../../src/platform/ids.ts';
import type { Api } from './api.ts';
import type { Decision } from './decisions.ts';
import { printLine } from './screen.ts';

/**
 * Every template but two: `out-of-hours` judges by the clock, and `tool-allow-list` knows only names of tools that read.
 * Where several decide alike the earlier one is named, so those that any team would switch on first come first.
 */
const TEMPLATES = [
  ...['secrets-in-output', 'payment-data-in-output', 'spending-limit'],
  ...[
    'prompt-injection',
    'spending-review',
    'money-out',
    'irreversible-actions',
    'access-changes',
    'code-execution',
  ],
  ...[
    'bulk-operations',
    'external-email',
    'personal-data-in-output',
    'adverse-decisions',
    'professional-advice',
  ],
  ...[
    'binding-promises',
    'low-confidence',
    'high-ambiguity',
    'missing-rationale',
    'production-changes',
    'handover',
  ],
];

export interface Prepared {
  token: string;
  key: string;
  organizationId: string;
  email: string;
  password: string;
}

interface Registered {
  token: string;
  organizationId: string;
}

/** Makes all of it over HTTP, as a team would, and says what was made. */
export async function prepare(api: Api, decisions: readonly Decision[]): Promise<Prepared> {
  const name = `demo-${generateHex(4)}`;
  const [email, password] = [`${name}@example.com`, `Demo-${generateHex(8)}`];
  const account = { name: 'Demo', email, password, organizationName: name };
  const { token, organizationId } = await api.post<Registered>('/api/v1/auth/register', account);
  const agents = [...new Set(decisions.flatMap(({ agent }) => (agent === null ? [] : [agent])))];
  for (const agent of agents) await api.post('/api/v1/agents', { name: agent }, token);
  for (const templateId of TEMPLATES)
    await api.post('/api/v1/policies/from-template', { templateId }, token);
  const { key } = await api.post<{ key: string }>('/api/v1/auth/keys', { name: 'demo' }, token);
  printLine(
    `\nOrganisation ${name} with the agents of the file (${agents.join(', ')}), a workspace key, and the policies`,
  );
  for (let from = 0; from < TEMPLATES.length; from += 5)
    printLine(`  ${TEMPLATES.slice(from, from + 5).join(', ')}`);
  return { token, key, organizationId, email, password };
}
