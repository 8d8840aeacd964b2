// Cuts what is nested too deeply out of a text of JSON before it is parsed, so that one odd value costs no other.

export interface Pruned {
  /** With `null` in the place of what was cut; a text that does not close its containers stays invalid. */
  text: string;
  /** Members and elements that are left. */
  values: number;
}

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];

export function pruneJson(text: string, levels: number): Pruned {
  const pieces: string[] = [];
  let [depth, values, kept] = [0, 1, 0];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = findQuote(text, at + 1);
    else if (code === COMMA && depth <= levels) values++;
    // The codes are those of [ and {, then ] and }.
    else if (code === 0x5b || code === 0x7b) {
      if (++depth <= levels) values++;
      else if (depth === levels + 1) pieces.push(text.slice(kept, at));
    } else if ((code === 0x5d || code === 0x7d) && depth-- === levels + 1) {
      pieces.push('null');
      kept = at + 1;
    }
  }
  if (depth <= levels) pieces.push(text.slice(kept));
  return { text: pieces.join(''), values };
}

/** Where a quoted text ends. */
function findQuote(text: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === BACKSLASH) at++;
    else if (code === QUOTE) return at;
  }
  return text.length;
}
