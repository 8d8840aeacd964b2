// The signed request of an insurer (document 1, section 7).
import { nameSchemas } from '../../http/declaration/schema-names.ts';
import { createSignedInput } from '../../http/declaration/signed-input.ts';

export const pullInput = createSignedInput({});

nameSchemas({ InsurancePullInput: pullInput });
