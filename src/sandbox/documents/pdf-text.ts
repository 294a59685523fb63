/** Internals of pdfkit's embedded font that this module uses. The version of pdfkit is pinned. */
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
  /** The text that people get when they copy it. */
  readonly says: readonly number[];
}

/**
 * Ensures that copied text equals the written text. pdfkit maps each shape to the first letter that used it. But fonts build
 * Arabic letters from shared shapes, and draw Devanagari vowels before the consonants that they follow. Each shape is therefore
 * embedded once for every text that it represents.
 */
export function createTextKeeper() {
  const codes = new WeakMap<EmbeddedFont, Map<string, number>>();
  let isFromRight = false;

  function encode(font: EmbeddedFont, text: string, features: readonly string[]) {
    // A cached glyph would keep the text of its first use.
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

/** Distributes the written text over the shapes in drawing order. Each shape gets as many characters as it represents. */
function sayInOrder(text: string, glyphs: readonly Glyph[]): readonly SaidGlyph[] {
  const written = Array.from(text, (character) => character.codePointAt(0) ?? 0);
  let at = 0;
  return glyphs.map((glyph, index) => {
    const from = at;
    at = index === glyphs.length - 1 ? written.length : at + glyph.codePoints.length;
    return { glyph, says: written.slice(from, at) };
  });
}

/** Ligatures that have a character of their own. PDF readers do not reverse them. */
const LIGATURES = new Map(['\ufef5', '\ufef7', '\ufef9', '\ufefb'].map((one) => [one.normalize('NFKC'), one]));

/** PDF readers reverse text that is drawn from right to left, so the letters of one shape are stored in reverse order. */
function sayFromRight(glyph: Glyph): SaidGlyph {
  const text = String.fromCodePoint(...glyph.codePoints);
  const ligature = LIGATURES.get(text)?.codePointAt(0);
  return { glyph, says: ligature === undefined ? glyph.codePoints.toReversed() : [ligature] };
}
