// Which key of the keyboard was meant, whatever its layout: shortcuts are Latin letters, and many layouts have others.

type Pressed = Pick<
  KeyboardEvent,
  'key' | 'code' | 'ctrlKey' | 'altKey' | 'metaKey' | 'shiftKey' | 'isComposing'
>;

const LETTER_CODE = /^Key([A-Z])$/;
const OTHER_LETTER = /^(?!\p{Script=Latin})\p{L}$/u;
/** While an input method is on, browsers do not say what the key writes. */
const UNSAID = new Set(['Process', 'Unidentified']);

/** The letter or sign of a key; null: it has none, as an arrow. */
function findSign({ key, code }: Pick<Pressed, 'key' | 'code'>): string | null {
  const [, letter] = LETTER_CODE.exec(code) ?? [];
  const isOther = UNSAID.has(key) || OTHER_LETTER.test(key);
  const meant = isOther && letter !== undefined ? letter : key;
  return meant.length === 1 ? meant.toLowerCase() : null;
}

/** The single key that was pressed, such as `a` or `?`; null: none, or one with Ctrl, Alt or a letter with Shift. */
export function readKey(event: Pressed): string | null {
  if (event.isComposing || event.ctrlKey || event.altKey || event.metaKey) return null;
  const sign = findSign(event);
  const isLetter = sign !== null && sign.toUpperCase() !== sign;
  return isLetter && event.shiftKey ? null : sign;
}

/** The key that was pressed with Ctrl or Command alone; null: none. */
export function readCommandKey(event: Pressed): string | null {
  if (event.altKey || event.shiftKey || event.ctrlKey === event.metaKey) return null;
  return findSign(event);
}

/** Whether Enter ends a word of an input method, and sends nothing. */
const isComposing = (event: { isComposing: boolean; keyCode: number }): boolean =>
  // Safari ends the word before it reports the key, which then has this code.
  event.isComposing || event.keyCode === 229;

/** Whether the keys that send a form were pressed: Ctrl+Enter, or Command+Enter. */
export const isSendKey = (
  event: Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'isComposing' | 'keyCode'>,
): boolean => event.key === 'Enter' && (event.ctrlKey || event.metaKey) && !isComposing(event);
