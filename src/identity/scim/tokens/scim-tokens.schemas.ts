// What is shown of the SCIM token.
import { z } from 'zod';
import { nameSchemas } from '../../../http/declaration/schema-names.ts';
import { id, instant } from '../../../http/declaration/views.ts';

export const newScimTokenView = z.object({ _id: id, token: z.string(), createdAt: instant });

nameSchemas({ NewScimToken: newScimTokenView });
