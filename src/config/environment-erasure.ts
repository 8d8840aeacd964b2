// The variables of erasure: how many decisions at once, and the custodian that keeps the keys of epochs.
import { z } from 'zod';
import { positive, serviceAddress } from './environment-values.ts';

const name = z.string().regex(/^[\w.-]{1,100}$/, 'must be a name of letters, digits, . _ -');

const LOCAL = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Returns whether what passes is encrypted, or stays on this machine. */
function isPrivate(text: string): boolean {
  if (!URL.canParse(text)) return true;
  const { protocol, hostname } = new URL(text);
  return protocol === 'https:' || LOCAL.has(hostname);
}

export const erasureVariables = {
  ASSAY_ERASURE_MAX: positive.max(20_000).default(5000).describe('Decisions of one erasure'),
  ASSAY_ERASURE_CUSTODIAN: z
    .enum(['off', 'file', 'vault', 'peer'])
    .default('off')
    .describe(
      'Keeps the keys that seal the key store, and destroys each after its epoch: a folder (`file`), the engine Transit of HashiCorp Vault or OpenBao (`vault`), or a custodian that another party runs by `npm run custodian` (`peer`). Once on, it stays on: the key store does not open without it',
    ),
  ASSAY_ERASURE_EPOCH_HOURS: positive
    .max(24 * 366)
    .default(24)
    .describe('Hours of an epoch: an erased value outlives its erasure by no more than that'),
  ASSAY_ERASURE_ROLL_MINUTES: z.coerce
    .number()
    .int()
    .min(0)
    .max(1440)
    .default(10)
    .describe('Minutes after which an epoch may end early, when an erasure asks for that'),
  ASSAY_ERASURE_CUSTODIAN_FOLDER: z
    .string()
    .optional()
    .describe(
      'Custodian file: a folder that all instances share and no back-up holds; unset: `custodian` below ASSAY_DATA_DIR',
    ),
  ASSAY_ERASURE_VAULT_URL: serviceAddress
    .optional()
    .describe(
      'Custodian vault: its address, such as https://vault.example.com:8200; may be private or http, without ASSAY_OUTBOUND_ALLOW',
    ),
  ASSAY_ERASURE_VAULT_TOKEN: z.string().optional().describe('Its token'),
  ASSAY_ERASURE_VAULT_TOKEN_FILE: z
    .string()
    .optional()
    .describe('Or a file that holds the token, and is read at each call'),
  ASSAY_ERASURE_VAULT_MOUNT: name.default('transit').describe('Path of the engine'),
  ASSAY_ERASURE_VAULT_KEY: name
    .default('assay-epochs')
    .describe('Its key for epochs, of type aes256-gcm96, which Assay alone may use'),
  ASSAY_ERASURE_VAULT_SIGNER: name
    .default('assay-statements')
    .describe('Its key for statements, of type ed25519'),
  ASSAY_ERASURE_PEER_URL: serviceAddress
    .refine(isPrivate, 'must be https, or http on this machine, since keys are sent')
    .optional()
    .describe(
      'Custodian peer: its address, such as https://custodian.example.org: it may be private, without ASSAY_OUTBOUND_ALLOW. Its statements are signed as `custodian` below its host',
    ),
  ASSAY_ERASURE_PEER_TOKEN: z.string().optional().describe('Its token'),
  ASSAY_ERASURE_PEER_TOKEN_FILE: z
    .string()
    .optional()
    .describe('Or a file that holds the token, and is read at each call'),
};
