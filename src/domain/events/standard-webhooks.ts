// Signatures of deliveries (Standard Webhooks 1.0.0; docs/reference/formats.md, webhook deliveries).
import { Webhook } from 'standardwebhooks';

const PREFIX = 'whsec_';

/** The signing secret in the form that receivers store, from 24 to 64 random bytes in hex. */
export function toSigningSecret(hex: string): string {
  return PREFIX + Buffer.from(hex, 'hex').toString('base64');
}

interface Message {
  /** Stays the same for every attempt. */
  id: string;
  body: string;
  secret: string;
  /** The time of this attempt. */
  at: Date;
}

/** Headers that let a receiver verify the sender, check the time, and recognise duplicates. */
export function createSignatureHeaders({ id, body, secret, at }: Message): Record<string, string> {
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': new Webhook(secret).sign(id, at, body),
  };
}
