// A payment processor on the loopback: a real HTTP server that answers the calls of Stripe's SDK, and signs events like it.
import { createHmac } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { randomHex } from '../../../src/platform/ids.ts';

export interface PaymentProcessor {
  url: string;
  /** What an app is configured with to use it. */
  settings: Record<string, string>;
  /** Calls by path, oldest first, with the form that was sent. */
  calls: { path: string; form: URLSearchParams; headers: IncomingMessage['headers'] }[];
  /** What it answers to everything: well, or with an error, or nothing at all. */
  mood: 'well' | 'failing' | 'silent' | 'endless';
  /** Headers with the signature of a body. */
  signed(body: string, at: Date, secret?: string): Record<string, string>;
  stop(): Promise<void>;
}

export const WEBHOOK_SECRET = `whsec_${'t'.repeat(32)}`;
const SECRET_KEY = `sk_test_${'k'.repeat(24)}`;
/** More than is read of any answer. */
const ENDLESS = 'x'.repeat(2 << 20);

const PRICES = ['scale', 'governance', 'enterprise'].flatMap((plan) =>
  ['monthly', 'annual', 'overage'].map((kind) => `${plan}_${kind}=price_${plan}_${kind}`),
);

export async function startPaymentProcessor(): Promise<PaymentProcessor> {
  const server = createServer((request, response) => {
    void bodyOf(request).then((body) => {
      const path = request.url ?? '';
      if (processor.mood === 'silent') return;
      processor.calls.push({ path, form: new URLSearchParams(body), headers: request.headers });
      const isWell = processor.mood !== 'failing';
      response.writeHead(isWell ? 200 : 400, { 'content-type': 'application/json' });
      response.end(processor.mood === 'endless' ? ENDLESS : JSON.stringify(answerTo(path, isWell)));
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
      ASSAY_OUTBOUND_ALLOW: `127.0.0.1:${port}`,
    },
    calls: [],
    get mood() {
      return mood;
    },
    set mood(next) {
      mood = next;
    },
    signed: signatureOf,
    stop: () =>
      new Promise((done) => {
        server.closeAllConnections();
        server.close(() => done());
      }),
  };
  return processor;
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

function answerTo(path: string, isWell: boolean): object {
  if (!isWell) return { error: { type: 'invalid_request_error', message: 'No such price' } };
  const id = randomHex(8);
  if (path.includes('meter_events')) return { object: 'billing.meter_event' };
  const kind = path.includes('portal') ? 'billing_portal.session' : 'checkout.session';
  return { id, object: kind, url: `https://pay.example.com/${kind}/${id}` };
}

function signatureOf(body: string, at: Date, secret = WEBHOOK_SECRET): Record<string, string> {
  const time = Math.floor(at.getTime() / 1000);
  const digest = createHmac('sha256', secret).update(`${time}.${body}`).digest('hex');
  return { 'stripe-signature': `t=${time},v1=${digest}` };
}
