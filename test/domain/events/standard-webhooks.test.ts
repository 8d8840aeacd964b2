// Signatures of deliveries, against the example that Standard Webhooks publishes and an HMAC of the test's own.
import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import {
  createSignatureHeaders,
  toSigningSecret,
} from '../../../src/domain/events/standard-webhooks.ts';

test('signs the published example as it is published', () => {
  const headers = createSignatureHeaders({
    id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    body: '{"test": 2432232314}',
    secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    at: new Date(1_614_265_330_999),
  });
  expect(headers).toEqual({
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  });
});

test.each(['', '{"text":"Grüße, \u{1F600}"}', 'x'.repeat(100_000)])(
  'signs id, time and body with the bytes of the secret: %#',
  (body) => {
    const hex = '00ff'.repeat(16);
    const at = new Date(1_700_000_000_000);
    const headers = createSignatureHeaders({ id: 'msg_1', body, secret: toSigningSecret(hex), at });
    const mac = createHmac('sha256', Buffer.from(hex, 'hex')).update(`msg_1.1700000000.${body}`);
    expect(headers['webhook-signature']).toBe(`v1,${mac.digest('base64')}`);
  },
);
