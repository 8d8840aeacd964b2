// A payment processor on the loopback: an HTTP server that answers Stripe's SDK and signs events like Stripe.
import { createHmac } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { generateHex } from '../../../src/platform/ids.ts';

export interface PaymentProcessor {
  url: string;
  /** Environment of an app that uses it. */
  settings: Record<string, string>;
  /** Calls by path, oldest first, with the form that was sent. */
  calls: {
    method: string;
    path: string;
    form: URLSearchParams;
    headers: IncomingMessage['headers'];
  }[];
  /** Behaviour for all calls: normal, an error, unknown resource, no answer, or an endless one. */
  mood: 'well' | 'failing' | 'forgetful' | 'silent' | 'endless';
  /** Headers with the signature of a body. */
  signed(body: string, at: Date, secret?: string): Record<string, string>;
  stop(): Promise<void>;
}

export const WEBHOOK_SECRET = `whsec_${'t'.repeat(32)}`;
const SECRET_KEY = `sk_test_${'k'.repeat(24)}`;
/** A body longer than what is read of any answer. */
const ENDLESS = 'x'.repeat(2 << 20);

const STATUSES: Partial<Record<PaymentProcessor['mood'], number>> = {
  failing: 400,
  forgetful: 404,
};
const FAILURES: Partial<Record<PaymentProcessor['mood'], object>> = {
  failing: { type: 'invalid_request_error', message: 'No such price' },
  forgetful: { type: 'invalid_request_error', code: 'resource_missing', message: 'No such thing' },
};

const PRICES = ['scale', 'governance', 'enterprise'].flatMap((plan) =>
  ['monthly', 'annual', 'overage'].map((kind) => `${plan}_${kind}=price_${plan}_${kind}`),
);

export async function startPaymentProcessor(): Promise<PaymentProcessor> {
  const server = createServer((request, response) => {
    void readBody(request).then((body) => {
      const { url: path = '', method = '' } = request;
      if (processor.mood === 'silent') return;
      const form = new URLSearchParams(body);
      processor.calls.push({ method, path, form, headers: request.headers });
      response.writeHead(STATUSES[processor.mood] ?? 200, { 'content-type': 'application/json' });
      response.end(processor.mood === 'endless' ? ENDLESS : answerTo(path, processor.mood));
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  let mood: PaymentProcessor['mood'] = 'well';
  const processor: PaymentProcessor = {
    url,
    settings: {
      STRIPE_SECRET_KEY: SECRET_KEY,
      STRIPE_WEBHOOK_SECRET: WEBHOOK_SECRET,
      STRIPE_API_URL: url,
      STRIPE_PRICES: PRICES.join(','),
    },
    calls: [],
    get mood() {
      return mood;
    },
    set mood(next) {
      mood = next;
    },
    signed: signBody,
    stop: () =>
      new Promise((done) => {
        server.closeAllConnections();
        server.close(() => done());
      }),
  };
  return processor;
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

function answerTo(path: string, mood: PaymentProcessor['mood']): string {
  const error = FAILURES[mood];
  return JSON.stringify(error ? { error } : createResource(path));
}

function createResource(path: string): object {
  const id = generateHex(8);
  if (path.includes('meter_events')) return { object: 'billing.meter_event' };
  if (path.includes('subscriptions')) return { id, object: 'subscription', status: 'canceled' };
  const kind = path.includes('portal') ? 'billing_portal.session' : 'checkout.session';
  return { id, object: kind, url: `https://pay.example.com/${kind}/${id}` };
}

function signBody(body: string, at: Date, secret = WEBHOOK_SECRET): Record<string, string> {
  const time = Math.floor(at.getTime() / 1000);
  const digest = createHmac('sha256', secret).update(`${time}.${body}`).digest('hex');
  return { 'stripe-signature': `t=${time},v1=${digest}` };
}
