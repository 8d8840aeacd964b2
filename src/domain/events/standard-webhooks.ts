// Signatures of deliveries (Standard Webhooks 1.0.0; docs/formats.md, webhook deliveries).
import { createHmac } from 'node:crypto';

const PREFIX = 'whsec_';

/** A signing secret as receivers keep it, made of 24 to 64 random bytes in hex. */
export function signingSecret(hex: string): string {
  return PREFIX + Buffer.from(hex, 'hex').toString('base64');
}

interface Message {
  /** The same for every attempt. */
  id: string;
  body: string;
  secret: string;
  /** When this attempt is made. */
  at: Date;
}

/** The headers that let a receiver tell who sent a message, when, and whether it had it before. */
export function signatureHeaders({ id, body, secret, at }: Message): Record<string, string> {
  const timestamp = String(Math.floor(at.getTime() / 1000));
  const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${signature}`,
  };
}
