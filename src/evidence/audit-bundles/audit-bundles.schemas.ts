// Inputs and views of audit bundles.
import { z } from 'zod';
import { nameSchemas } from '../../http/declaration/schema-names.ts';
import { withDefault } from '../../http/declaration/optional.ts';
import { from, id, instant, boundedList, to } from '../../http/declaration/views.ts';

const DISCLOSED_MAX = 50;

export const auditBundleInput = z.object({
  from,
  to,
  disclose: withDefault(
    boundedList(
      z
        .string()
        .regex(
          /^[a-z][A-Za-z0-9]{0,63}$/,
          'must be the name of a committed value, such as rationale',
        ),
      DISCLOSED_MAX,
    ),
    [],
  ).describe('names of committed values to show'),
});

export const auditBundleView = z.object({
  id,
  _id: id,
  from: instant,
  to: instant,
  firstSequence: z.number(),
  lastSequence: z.number(),
  lastChainHash: z.string(),
  entries: z.number(),
  disclosed: z.array(z.string()),
  manifest: z.string().describe('Canonical JSON'),
  signature: z.string().describe('The manifest as JWS compact (ES256)'),
  signerKid: z.string(),
  createdBy: id,
  createdAt: instant,
});

nameSchemas({ AuditBundleInput: auditBundleInput, AuditBundle: auditBundleView });
