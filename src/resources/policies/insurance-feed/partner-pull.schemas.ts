// The signed request of an insurer (document 1, section 7).
import { createSignedInput } from '../../../http/declaration/signed-input.ts';

export const pullInput = createSignedInput({});
