/** What of an embedded font of pdfkit is used here beside its interface; its version is pinned. */
interface EmbeddedFont {
  layout(text: string, features: readonly string[]): { readonly glyphs: readonly Glyph[]; readonly positions: unknown };
  encode(text: string, features: readonly string[]): readonly [codes: readonly string[], positions: unknown];
  readonly font: { _glyphs: object };
  readonly subset: { readonly glyphs: number[] };
  readonly widths: number[];
  readonly unicode: (readonly number[])[];
  readonly scale: number;
}

interface Glyph {
  readonly id: number;
  readonly advanceWidth: number;
  readonly codePoints: readonly number[];
}

interface SaidGlyph {
  readonly glyph: Glyph;
  /** What it says to who copies it. */
  readonly says: readonly number[];
}

/**
 * Makes copied text the text that was written. pdfkit gives every shape the letter that it stood for first; but fonts build
 * Arabic letters from shared shapes, and set Devanagari vowels before the consonants that they follow. So each shape is
 * embedded once for every text that it says.
 */
export function createTextKeeper() {
  const codes = new WeakMap<EmbeddedFont, Map<string, number>>();
  let isFromRight = false;

  function encode(font: EmbeddedFont, text: string, features: readonly string[]) {
    // A glyph that is kept says what it said first.
    font.font._glyphs = {};
    const { glyphs, positions } = font.layout(text, features);
    const known = codes.get(font) ?? new Map<string, number>();
    const shown = isFromRight ? glyphs.map(sayFromRight) : sayInOrder(text, glyphs);
    const encoded = shown.map(({ glyph, says }) => {
      const key = `${glyph.id} ${says.join(' ')}`;
      const code = known.get(key) ?? font.subset.glyphs.push(glyph.id) - 1;
      known.set(key, code);
      font.widths[code] = glyph.advanceWidth * font.scale;
      font.unicode[code] = says;
      return code.toString(16).padStart(4, '0');
    });
    return [encoded, positions] as const;
  }

  return {
    /** @param opened the document's font, which draws runs of one direction from now on */
    use(opened: object, fromRight: boolean): void {
      const font = opened as EmbeddedFont;
      isFromRight = fromRight;
      if (codes.has(font)) return;
      codes.set(font, new Map());
      font.encode = (text, features) => encode(font, text, features);
    },
  };
}

/** What is written, shared out to the shapes in the order in which they are drawn: each says as much as it stands for. */
function sayInOrder(text: string, glyphs: readonly Glyph[]): readonly SaidGlyph[] {
  const written = Array.from(text, (character) => character.codePointAt(0) ?? 0);
  let at = 0;
  return glyphs.map((glyph, index) => {
    const from = at;
    at = index === glyphs.length - 1 ? written.length : at + glyph.codePoints.length;
    return { glyph, says: written.slice(from, at) };
  });
}

/** Ligatures that have a character of their own, which no reader turns round. */
const LIGATURES = new Map(['\ufef5', '\ufef7', '\ufef9', '\ufefb'].map((one) => [one.normalize('NFKC'), one]));

/** Readers turn what is drawn from the right; so of several letters in one shape the last is said first. */
function sayFromRight(glyph: Glyph): SaidGlyph {
  const text = String.fromCodePoint(...glyph.codePoints);
  const ligature = LIGATURES.get(text)?.codePointAt(0);
  return { glyph, says: ligature === undefined ? glyph.codePoints.toReversed() : [ligature] };
}
