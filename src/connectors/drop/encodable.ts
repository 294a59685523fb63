import iconv from 'iconv-lite';

/** The first character of a text that an encoding does not have; null when it has all of them. */
export function findUnencodable(text: string, encoding: string): string | null {
  if (canEncode(text, encoding)) return null;
  for (const character of text) if (!canEncode(character, encoding)) return character;
  return text.slice(0, 1);
}

/** What iconv-lite does not have becomes `?`; half of a surrogate pair no encoding has. */
function canEncode(text: string, encoding: string): boolean {
  if (/\p{Surrogate}/u.test(text)) return false;
  return iconv.decode(iconv.encode(text, encoding, { addBOM: false }), encoding, { stripBOM: false }) === text;
}
