// Every resource that organisations share: the worst that one of them does to it, and an ordinary use of it by another.
import { expect, vi } from 'vitest';
import { PASSWORD } from '../../setup/personas.ts';
import { toBase64 } from '../../setup/providers/identity-provider-saml.ts';
import { createSelfSigned } from '../../setup/providers/self-signed.ts';
import type { AttackRequest } from './attacker.ts';
import { decisionBody, type Organization, type Stage } from './stage.ts';

export interface Resource {
  name: string;
  connections: number;
  /** How often Bob's use is measured; default 9. */
  uses?: number;
  /** Prepares both organisations; resolves with what Ada sends. */
  prepare(stage: Stage): Promise<readonly AttackRequest[]>;
  /** What Bob does; its time is measured. */
  use(stage: Stage, nth: number): Promise<unknown>;
}

const WAIT = { timeout: 60_000, interval: 2 };
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const FREE_BYTES = 90_000;
/** As many heavy answers as one organisation may have at a time. */
const SLOTS = 8;

const unlikely = {
  name: 'Unlikely',
  enabled: false,
  conditions: Array.from({ length: 40 }, (_, at) => ({
    field: 'outputDecision.rationale',
    operator: 'regex',
    value: `^(${at}|never ${'x?'.repeat(20)})$`,
  })),
  actions: [{ type: 'flag_for_review' }],
};

const readAgents = ({ bob }: Stage): Promise<unknown> => bob.call('GET', '/agents');

const postTo = (key: string, body: object): AttackRequest => ({
  method: 'POST',
  path: '/api/v1/traces',
  headers: { 'x-api-key': key, 'content-type': 'application/json' },
  body: JSON.stringify(body),
});

async function useSaml(organization: Organization): Promise<string> {
  const saml = {
    entityId: 'urn:idp',
    ssoUrl: 'https://idp.example.org/sso',
    certificates: [createSelfSigned('one').certificate],
  };
  await organization.call('PUT', '/organization/sso', { provider: 'saml', saml });
  return organization.id;
}

/** An attempt that its browser may complete: the relay state and the cookie. */
async function beginSaml({ bob }: Stage, organizationId: string): Promise<[string, string]> {
  const answer = await bob.send('POST', '/auth/saml/initiate', { body: { organizationId } });
  const url = new URL(answer.body.data.redirectUrl);
  const cookie = answer.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  return [url.searchParams.get('RelayState') ?? '', cookie];
}

const samlForm = (relayState: string, xml: string): string =>
  new URLSearchParams({ RelayState: relayState, SAMLResponse: toBase64(xml) }).toString();

export const resources: readonly Resource[] = [
  {
    name: 'ingestion',
    connections: 16,
    async prepare({ ada }) {
      const text = '4111 1111 1111 1111 ada@example.com '.repeat(1300);
      const metadata = { text: text.slice(0, FREE_BYTES) };
      return [postTo(ada.key, { ...decisionBody('$n'), rationale: text, metadata })];
    },
    use: ({ bob }, nth) => bob.decide(`ordinary ${nth}`),
  },
  {
    name: 'batches',
    connections: 16,
    prepare: async ({ ada }) => {
      const decisions = Array.from({ length: 100 }, (_, at) => decisionBody(`$n ${at}`));
      return [{ ...postTo(ada.key, { decisions }), path: '/api/v1/traces/batch' }];
    },
    use: readAgents,
  },
  {
    name: 'lists',
    connections: SLOTS,
    prepare: async ({ ada }) => [
      ada.request('GET', '/traces?limit=200'),
      ada.request('GET', '/traces?limit=200&search=asks'),
    ],
    use: readAgents,
  },
  {
    name: 'passwords',
    connections: 16,
    prepare: async () => [
      {
        method: 'POST',
        path: '/api/v1/auth/login',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ email: 'ada@example.com', password: 'Wrong-Horse-$n' }),
      },
    ],
    use: async ({ bob }) => {
      const body = { email: bob.email, password: PASSWORD };
      expect((await bob.send('POST', '/auth/login', { body })).status).toBe(200);
    },
  },
  {
    name: 'exports',
    connections: SLOTS,
    prepare: async ({ ada }) => [
      ada.request('GET', '/traces/export'),
      ada.request('GET', '/traces/export', { leaveMs: 40 }),
      ada.request('GET', '/hash-chain/export'),
    ],
    use: ({ bob }) => bob.call('GET', '/traces/export'),
  },
  {
    name: 'verification',
    connections: SLOTS,
    prepare: async ({ ada }) => [
      ada.request('POST', '/hash-chain/verify'),
      ada.request('POST', '/hash-chain/verify', { leaveMs: 30 }),
    ],
    use: ({ bob }) => bob.call('POST', '/hash-chain/verify'),
  },
  {
    name: 'memory',
    connections: SLOTS,
    prepare: async (stage) => {
      await Promise.all([stage.ada, stage.bob].map(indexMemory));
      return [
        stage.ada.request('POST', '/traces/memory', {
          body: { query: 'reply to case $n', topK: 50 },
        }),
      ];
    },
    use: ({ bob }, nth) => bob.call('POST', '/traces/memory', { query: `case ${nth}`, topK: 5 }),
  },
  {
    name: 'PDF',
    connections: SLOTS,
    prepare: async ({ ada }) => [
      ada.request('GET', '/audit/export/pdf'),
      ada.request('GET', '/audit/export/pdf', { leaveMs: 100 }),
    ],
    use: ({ bob }) => bob.call('GET', '/audit/export/pdf'),
  },
  {
    name: 'sign-on by SAML',
    connections: 16,
    async prepare(stage) {
      const organizationId = await useSaml(stage.ada);
      await useSaml(stage.bob);
      const hostile = `<a>${'<b c="d"/>'.repeat(36_000)}</a>`;
      const attempts = await Promise.all(
        Array.from({ length: 400 }, () => beginSaml(stage, organizationId)),
      );
      return attempts.map(([relayState, cookie]) => ({
        method: 'POST',
        path: '/api/v1/auth/saml/callback',
        headers: { ...FORM, cookie },
        body: samlForm(relayState, hostile),
      }));
    },
    async use(stage) {
      const [relayState, cookie] = await beginSaml(stage, stage.bob.id);
      const headers = { ...FORM, cookie };
      const raw = samlForm(relayState, '<a/>');
      const { status } = await stage.bob.send('POST', '/auth/saml/callback', { raw, headers });
      expect(status).toBe(302);
    },
  },
  {
    name: 'replay',
    connections: 8,
    uses: 3,
    prepare: async ({ ada }) => [
      ada.request('POST', '/policies/_new/replay', { body: { policy: unlikely } }),
    ],
    async use({ bob }) {
      const body = { policy: { ...unlikely, conditions: unlikely.conditions.slice(0, 1) } };
      const { data } = (await bob.call('POST', '/policies/_new/replay', body)).body;
      await vi.waitFor(async () => {
        const { state } = (await bob.call('GET', `/policies/replays/${data._id}`)).body.data;
        expect(state).toBe('done');
      }, WAIT);
    },
  },
  {
    name: 'streams',
    connections: 32,
    prepare: async ({ ada }) => [
      ...Array.from({ length: 16 }, () => ada.request('GET', '/traces/stream')),
      ...Array.from({ length: 16 }, () => postTo(ada.key, decisionBody('$n'))),
    ],
    use: ({ bob }, nth) => seeInStream(bob, nth),
  },
  {
    name: 'streams from the first decision',
    connections: 16,
    prepare: async ({ ada }) => [
      ada.request('GET', '/traces/stream?lastEventId=0', { leaveMs: 2000 }),
    ],
    use: readAgents,
  },
  {
    name: 'connections',
    connections: 3000,
    prepare: async () => [{ method: 'GET', path: '/health' }],
    use: async ({ url }) => {
      const headers = { connection: 'close' };
      expect((await fetch(`${url}/health`, { headers })).status).toBe(200);
    },
  },
  {
    name: 'attestations',
    connections: 16,
    prepare: async ({ ada }) => {
      const body = { title: 'Leak $n', regulators: [{ code: 'gdpr' }, { code: 'nis2' }] };
      return [ada.request('POST', '/incidents', { body })];
    },
    use: attestAssessment,
  },
  {
    name: 'mail',
    connections: 16,
    prepare: async ({ ada }) => [
      ada.request('POST', '/team/invite', {
        body: { email: 'many-$n@example.org', role: 'viewer' },
      }),
    ],
    async use({ bob, mail }, nth) {
      const email = `one-${nth}-${Date.now()}@example.net`;
      await bob.call('POST', '/team/invite', { email, role: 'viewer' });
      await vi.waitFor(() => expect(mail.findNewest(email)).toBeDefined(), WAIT);
    },
  },
  {
    name: 'webhooks',
    connections: 4,
    async prepare({ ada, bob, receiver }) {
      for (let at = 0; at < 10; at += 1) {
        receiver.answers.set(`/dead-${at}`, () => undefined);
        await ada.call('POST', '/webhooks', { url: `${receiver.url}/dead-${at}`, events: ['*'] });
      }
      await bob.call('POST', '/webhooks', { url: `${receiver.url}/bob`, events: ['*'] });
      return [postTo(ada.key, decisionBody('$n'))];
    },
    async use({ bob, receiver }, nth) {
      const before = receiver.listMessages('/bob').length;
      await bob.decide(`delivered ${nth}`);
      await vi.waitFor(
        () => expect(receiver.listMessages('/bob').length).toBeGreaterThan(before),
        WAIT,
      );
    },
  },
];

async function indexMemory(organization: Organization): Promise<void> {
  await vi.waitFor(
    async () => {
      const body = { query: 'reply', topK: 1 };
      const { behind } = (await organization.call('POST', '/traces/memory', body)).body.data;
      expect(behind).toBe(0);
    },
    { timeout: 120_000, interval: 200 },
  );
}

async function seeInStream(bob: Organization, nth: number): Promise<void> {
  const minted = await bob.call('POST', '/auth/stream-token');
  const { streamToken } = minted.body.data;
  const left = new AbortController();
  const url = `${bob.url}/api/v1/traces/stream?stream_token=${streamToken}`;
  const stream = await fetch(url, { signal: left.signal });
  const traceId = await bob.decide(`streamed ${nth}`);
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of stream.body ?? []) {
    text += decoder.decode(chunk as Uint8Array, { stream: true });
    if (text.includes(traceId)) break;
  }
  left.abort();
  expect(text).toContain(traceId);
}

async function attestAssessment({ bob, db }: Stage, nth: number): Promise<void> {
  const created = await bob.call('POST', '/fria', {
    systemName: `Scoring ${nth}`,
    purpose: 'To score',
  });
  const { id } = created.body.data;
  await bob.call('POST', `/fria/${id}/submit`);
  await bob.call('POST', `/fria/${id}/approve`);
  const entry = { traceId: `assessment:${id}` };
  await vi.waitFor(
    async () => expect(await db.collection('ledger').countDocuments(entry)).toBe(1),
    WAIT,
  );
}
