// The variables of the witnessed log: its name, its keys, how often it is sealed, who may read it.
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import {
  type VerifierKey,
  parseWitnessPolicy,
  type WitnessPolicy,
  parseWitnessedLogs,
} from '@assay/tlog';
import {
  address,
  isEd25519Key,
  list,
  pem,
  positive,
  serviceAddress,
} from './environment-values.ts';

/** A policy by the path of its file. */
const witnessPolicy = z.string().transform((path, context): WitnessPolicy => {
  const read = readPolicyFile(path);
  if ('text' in read) return read;
  context.addIssue({ code: 'custom', message: read.problem });
  return z.NEVER;
});

/** The logs of others that are witnessed here, by the path of a file. */
const witnessedLogs = z.string().transform((path, context): ReadonlyMap<string, VerifierKey[]> => {
  const read = readLogsFile(path);
  if (!('problem' in read)) return read;
  context.addIssue({ code: 'custom', message: read.problem });
  return z.NEVER;
});

function readLogsFile(path: string): ReadonlyMap<string, VerifierKey[]> | { problem: string } {
  try {
    return parseWitnessedLogs(readFileSync(path, 'utf8'));
  } catch {
    return { problem: 'must be a file that can be read' };
  }
}

function readPolicyFile(path: string): WitnessPolicy | { problem: string } {
  try {
    return parseWitnessPolicy(readFileSync(path, 'utf8'));
  } catch {
    return { problem: 'must be a file that can be read' };
  }
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** Certificates in DER, by the path of a PEM file. */
const certificates = z.string().transform((path, context): Uint8Array[] => {
  const found = readCertificates(path);
  if (found.length > 0) return found;
  context.addIssue({ code: 'custom', message: 'must be a file with certificates in PEM' });
  return z.NEVER;
});

function readCertificates(path: string): Uint8Array[] {
  try {
    const found = readFileSync(path, 'utf8').match(CERTIFICATE) ?? [];
    return found.map((text) => new Uint8Array(new X509Certificate(text).raw));
  } catch {
    return [];
  }
}

const noteKey = pem.refine(isEd25519Key, 'must be an Ed25519 private key in PEM').optional();

export const logVariables = {
  ASSAY_LOG: z
    .enum(['on', 'off'])
    .default('on')
    .describe('off: no log is sealed, and answers carry no promise'),
  ASSAY_LOG_NAME: z
    .string()
    .regex(/^[a-z0-9.:/_-]{1,100}$/i, 'must be a host, such as log.example.com')
    .optional()
    .describe(
      'Host in the names of all logs, kept from the first start on; unset: that of ASSAY_PUBLIC_URL',
    ),
  ASSAY_LOG_KEY: noteKey.describe(
    'Signs checkpoints of the logs: an Ed25519 private key in PEM; unset: one in the database, sealed by ASSAY_ENCRYPTION_KEY',
  ),
  ASSAY_LOG_KEY_KMS_ID: z
    .string()
    .max(2048)
    .optional()
    .describe(
      'Or an Ed25519 key in AWS KMS (ECC_NIST_EDWARDS25519): its id, ARN or alias. Credentials are those that AWS finds by default',
    ),
  ASSAY_LOG_KEY_KMS_REGION: z.string().optional().describe('Region of the key management service'),
  ASSAY_LOG_KEY_KMS_ENDPOINT: address
    .optional()
    .describe('Its address, where it is not that of the region'),
  ASSAY_PROMISE_KEY: noteKey.describe('Signs the promises of answers, likewise'),
  ASSAY_LOG_SEAL_SECONDS: z.coerce
    .number()
    .int()
    .min(0)
    .max(3600)
    .default(10)
    .describe('Seconds between two checkpoints of a log that grows'),
  ASSAY_LOG_MMD_SECONDS: positive
    .max(86_400)
    .default(60)
    .describe('Seconds after an entry by which a promise says that a checkpoint covers it'),
  ASSAY_WITNESS_POLICY: witnessPolicy
    .optional()
    .describe(
      'File with the witnesses of the heads log, their addresses and how many must sign (C2SP tlog-policy); private addresses need ASSAY_OUTBOUND_ALLOW; unset: none is asked',
    ),
  ASSAY_COSIGN_LOGS: witnessedLogs
    .optional()
    .describe(
      'File with the logs of others that this installation witnesses (C2SP tlog-witness): a line `log VKEY` for each key; unset: none',
    ),
  ASSAY_COSIGN_KEY: noteKey.describe('Signs the checkpoints of those logs, like ASSAY_LOG_KEY'),
  ASSAY_TSA_URL: list
    .pipe(z.array(serviceAddress).max(5))
    .default([])
    .describe(
      'Addresses of time-stamping authorities (RFC 3161), comma-separated, asked in this order; private ones need ASSAY_OUTBOUND_ALLOW',
    ),
  ASSAY_TSA_CA: certificates
    .optional()
    .describe(
      'PEM file with the root certificates of the authorities; unset: their chain is left to verifiers',
    ),
  ASSAY_STAMP_SECONDS: z.coerce
    .number()
    .int()
    .min(0)
    .max(86_400)
    .default(3600)
    .describe('Seconds between two time stamps of the heads log'),
  ASSAY_LOG_PUBLIC: z
    .enum(['on', 'off'])
    .default('on')
    .describe('off: checkpoints and tiles are not served below /log'),
};
