import type { Json } from '../../model/json.js';

/** Deeper than any record; what walks through a value goes as deep as it does. */
export const MAX_DEPTH = 500;

/** null where it is no JSON, or deeper than anything that means something. */
export function parseJson(text: string): { readonly value: Json } | null {
  if (text.length > 2 * MAX_DEPTH && isTooDeep(text)) return null;
  try {
    return { value: JSON.parse(text) as Json };
  } catch {
    return null;
  }
}

function isTooDeep(text: string): boolean {
  let depth = 0;
  let inText = false;
  for (let at = 0; at < text.length; at++) {
    const character = text.charCodeAt(at);
    if (character === 0x22) inText = !inText;
    else if (inText) at += character === 0x5c ? 1 : 0;
    else if (character === 0x5b || character === 0x7b) {
      if (++depth > MAX_DEPTH) return true;
    } else if (character === 0x5d || character === 0x7d) depth--;
  }
  return false;
}
