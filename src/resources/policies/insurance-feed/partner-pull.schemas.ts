// What an insurer asks with (document 1, section 7).
import { signedInput } from '../../../http/declaration/signed-input.ts';

export const pullInput = signedInput({});
