// What a harness says of where it saw the values of an action (docs/guides/sessions.md).
import { z } from 'zod';
import { nameSchemas } from '../../../http/declaration/schema-names.ts';
import { boundedList } from '../../../http/declaration/views.ts';

/** Values of an action that are spoken of, parts of texts, and places of each. All of a body has a bound of its own. */
const VALUES_MAX = 64;
const SOURCES_MAX = 64;
const POINTER = /^(?:\/(?:[^~/]|~[01])*)+$/;
const SOURCE = /^(?:prompt~?|more|trc_[0-9a-f]{32}[#~@].{0,300})$/s;

const sources = boundedList(
  z
    .string()
    .max(337)
    .regex(SOURCE, 'must be prompt, prompt~, more, or <traceId> with #, ~ or @ and a JSON pointer'),
  SOURCES_MAX,
);
const textSources = z.strictObject({ whole: sources, atoms: boundedList(sources, VALUES_MAX) });

export const originsInput = z
  .strictObject({
    promptSeen: z.boolean().describe('Whether the harness saw what the person wrote'),
    values: z
      .record(
        z.string().max(300).regex(POINTER, 'must be a JSON pointer into the action'),
        z.union([sources, textSources]),
      )
      .refine((values) => Object.keys(values).length <= VALUES_MAX, {
        message: `must name at most ${VALUES_MAX} values`,
      })
      .describe(
        'By JSON pointer into `outputDecision.action`: where the value was seen. `prompt`, or `prompt~` for a number that is too short to be that one for certain; `<traceId>#<pointer>`: it equals that leaf of the result of the decision; with `~` it occurs in the leaf, with `@` it is the name of a member; `more`: further places. Empty: nowhere. Of a text with links and addresses the sources of each of these as well, in their order',
      ),
  })
  .describe('Where the values of the action come from, as the harness saw it');

nameSchemas({ Origins: originsInput });
