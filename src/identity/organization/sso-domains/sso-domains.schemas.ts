// Inputs and views of the e-mail domains that an organisation claims for its sign-on.
import { z } from 'zod';
import { nameSchemas } from '../../../http/declaration/schema-names.ts';
import { parseClaimedDomain } from '../../../domain/identity/addresses/email-domains.ts';
import { id, idParam, instant, singleLine } from '../../../http/declaration/views.ts';

const domain = singleLine(300)
  .transform((text, context) => {
    const claimed = parseClaimedDomain(text);
    if ('domain' in claimed) return claimed.domain;
    context.addIssue({ code: 'custom', message: claimed.problem });
    return z.NEVER;
  })
  .describe('Of e-mail addresses, such as example.com; domains below it are domains of their own');

export const claimInput = z.strictObject({ domain });
export const approvalInput = z.strictObject({ organizationId: idParam, domain });

export const domainView = z.object({
  _id: id,
  domain: z.string().describe('Lower-cased, in ASCII'),
  status: z
    .enum(['claimed', 'verified'])
    .describe('Only a verified domain is routed to the organisation'),
  verifiedAt: instant.nullable(),
  verifiedBy: z
    .enum(['dns', 'system'])
    .nullable()
    .describe('`system`: approved by the administrator of the installation'),
  challenge: z.string(),
  record: z
    .object({ type: z.literal('TXT'), name: z.string(), value: z.string() })
    .describe('What has to be published in the domain name system, and stay there'),
  createdAt: instant,
});
export type SsoDomainView = z.input<typeof domainView>;
export const domainDeletedView = z.object({ _id: id, deleted: z.literal(true) });

nameSchemas({
  DomainClaimInput: claimInput,
  DomainApprovalInput: approvalInput,
  SignOnDomain: domainView,
  DeletedSignOnDomain: domainDeletedView,
});
