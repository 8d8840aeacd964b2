// Five megabytes of hostile SAML for a valid attempt: answered at once, while the event loop serves other requests.
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, expect, inject, test } from 'vitest';
import { toBase64 } from '../setup/providers/identity-provider-saml.ts';
import { createSelfSigned } from '../setup/providers/self-signed.ts';
import { sendRequest } from '../setup/start-app.ts';
import { App } from './apps.ts';

/** Processor time that event loops may take while an answer of /health waits for them. */
const HEALTH_MS = 50;
/** A bound for a quiet machine; on a busy one it is at least this many times a usual answer of /health. */
const ANSWERED = { ms: 1000, times: 200 };
const LIMIT = 5 * 1024 * 1024;
/** Bytes that the state of an attempt takes in a form. */
const STATE = 55;
/** Length in a form of the base64 of as many bytes as the reader takes. */
const READ = 500 * 1024;

const uri = new URL(inject('mongoUri'));
uri.pathname = `/samlfaults${randomBytes(4).toString('hex')}`;
const app = new App({ mongoUri: uri.href });
let organizationId = '';

beforeAll(async () => {
  await app.start();
  const person = {
    name: 'Ada',
    email: 'ada@example.com',
    password: 'Correct-Horse-9',
    organizationName: 'Faults',
  };
  const { data } = (await sendRequest(`${app.url}/api/v1/auth/register`, 'POST', { body: person }))
    .body;
  organizationId = data.organization._id;
  const saml = {
    entityId: 'urn:idp',
    ssoUrl: 'https://idp.example.org/sso',
    certificates: [createSelfSigned('one').certificate, createSelfSigned('two').certificate],
  };
  const body = { provider: 'saml', saml };
  const answer = await sendRequest(`${app.url}/api/v1/organization/sso`, 'PUT', {
    token: data.token,
    body,
  });
  expect(answer.status).toBe(200);
});
afterAll(() => app.kill());
// The first message starts the thread; the cost of a message is measured after it.
beforeEach(() => hostile(form(toBase64('<a/>'))));

/** The bytes of a form; its first member is filled with the state of an attempt. */
function form(SAMLResponse: string): Buffer {
  const encoded = SAMLResponse.replace(/[+/=&]/g, encodeURIComponent);
  return Buffer.from(`${'x'.padEnd(STATE, 'x')}&SAMLResponse=${encoded}`, 'latin1');
}

/** Sends a form for a new attempt. */
async function hostile(raw: Buffer): Promise<{ status: number; ms: number }> {
  const start = await sendRequest(`${app.url}/api/v1/auth/saml/initiate`, 'POST', {
    body: { organizationId },
  });
  const relayState = new URL(start.body.data.redirectUrl).searchParams.get('RelayState') ?? '';
  const cookie = start.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  raw.write(`RelayState=${relayState}&`);
  const began = performance.now();
  const { status } = await sendRequest(`${app.url}/api/v1/auth/saml/callback`, 'POST', {
    raw,
    headers: { 'content-type': 'application/x-www-form-urlencoded', cookie },
  });
  return { status, ms: performance.now() - began };
}

async function readHealth(): Promise<void> {
  await (await fetch(`${app.url}/health`)).text();
}

/** The median of some answers of /health while nothing else happens. */
async function measureUsualHealth(): Promise<number> {
  const times: number[] = [];
  for (let count = 0; count < 21; count++) {
    const began = performance.now();
    await readHealth();
    times.push(performance.now() - began);
  }
  return times.toSorted((a, b) => a - b)[10] as number;
}

/** Sends a form; asserts how it is answered, and that neither it nor others waited for long. */
async function assertAnswered(raw: Buffer, expected: number): Promise<void> {
  const usual = await measureUsualHealth();
  const sent = hostile(raw);
  const [held, { status, ms }] = [await measureLongestHold(sent), await sent];
  expect(status).toBe(expected);
  expect(ms).toBeLessThan(Math.max(ANSWERED.ms, ANSWERED.times * usual));
  expect(held).toBeLessThan(HEALTH_MS);
}

/** Processor time that event loops took at most while an answer of /health waited for them, during other work. */
async function measureLongestHold(until: Promise<unknown>): Promise<number> {
  let [longest, isOver] = [0, false];
  void until.finally(() => (isOver = true));
  do {
    const before = await app.measureLoopsMs();
    await readHealth();
    longest = Math.max(longest, (await app.measureLoopsMs()) - before);
    await sleep(1);
  } while (!isOver);
  return longest;
}

const filled = (bytes: number, piece: string): string =>
  piece.repeat(Math.floor(bytes / piece.length));
const namespaces = Array.from({ length: 30 }, (_, n) => `xmlns:n${n}="urn:${n}"`).join(' ');
/** Nearly fills the form with base64, some of it percent-encoded. */
const XML_BYTES = 3_400_000;
const signature =
  '<ds:Signature xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><ds:SignedInfo><ds:Reference URI="#a"/></ds:SignedInfo></ds:Signature>';

const MESSAGES: Record<string, (bytes: number) => string> = {
  'empty elements': (bytes) => toBase64(`<a>${filled(bytes, '<b/>')}</a>`),
  nesting: (bytes) => toBase64(filled(bytes, '<ab>')),
  'nesting that ends': (bytes) =>
    toBase64(filled(bytes / 2.4, '<ab>') + filled(bytes / 2, '</ab>')),
  attributes: (bytes) => toBase64(`<a ${filled(bytes, 'b="" ')}/>`),
  'one attribute': (bytes) => toBase64(`<a b="${filled(bytes, 'x')}"/>`),
  'elements with namespaces': (bytes) => toBase64(`<a>${filled(bytes, `<b ${namespaces}/>`)}</a>`),
  'nested namespaces': (bytes) => toBase64(filled(bytes, `<b ${namespaces}>`)),
  references: (bytes) => toBase64(`<a>${filled(bytes, '&lt;')}</a>`),
  'white space in a tag': (bytes) => toBase64(`<a${filled(bytes, ' ')}`),
  signatures: (bytes) => toBase64(`<a>${filled(bytes, signature)}</a>`),
  'a comment without an end': (bytes) => toBase64(`<!--${filled(bytes, '-')}`),
  'a document type': (bytes) => toBase64(`<!DOCTYPE a [${filled(bytes, '<!ENTITY b "c">')}]><a/>`),
  noise: (bytes) => randomBytes(bytes).toString('base64'),
  'noise that is no base64': (bytes) =>
    randomBytes(bytes)
      .toString('latin1')
      .replace(/[\0%\x80-\xff ]/g, '.'),
  'line breaks': (bytes) => filled(bytes, '\n'),
  'encoded characters': (bytes) => filled(bytes, '%41'),
};

const sizes = { 'as much as the form may hold': XML_BYTES, 'as much as is read': READ };
const cases = Object.entries(MESSAGES).flatMap(([name, make]) =>
  Object.entries(sizes).map(([size, bytes]) => [name, size, form(make(bytes))] as const),
);

test.for(cases)('%s, %s', async ([, , raw]) => {
  await assertAnswered(raw, 302);
});

test.for([
  ['members', 'a=&'],
  ['characters that are none', '%ff'],
  ['NUL', '%00'],
  ['spaces', '+'],
])('a form of nothing but %s', async ([, piece = '']) => {
  await assertAnswered(Buffer.concat([form(''), Buffer.from(filled(LIMIT - 200, piece))]), 400);
});
