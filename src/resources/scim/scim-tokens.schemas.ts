// The SCIM token as it is shown, once (document 1, section 5).
import { z } from 'zod';
import { id, instant } from '../../http/views.ts';

export const scimTokenView = z.object({ _id: id, token: z.string(), createdAt: instant });
