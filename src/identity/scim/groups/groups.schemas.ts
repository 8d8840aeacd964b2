// The view of SCIM groups: the fixed role groups (document 1, section 2).
import { z } from 'zod';
import { nameSchemas } from '../../../http/declaration/schema-names.ts';
import { ROLE_GROUPS } from '../../../domain/identity/role-groups.ts';
import { toScim } from '../scim.schemas.ts';

export const groupParams = z.object({ id: z.enum(ROLE_GROUPS) });

export const groupView = toScim({
  displayName: z.string(),
  members: z.array(
    z
      .object({ value: z.string(), $ref: z.string(), display: z.string(), type: z.string() })
      .exactPartial(),
  ),
});

nameSchemas({ ScimGroup: groupView });
