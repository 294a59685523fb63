/** The parts that are used here of packages that bring no types along. */
declare module 'fontkit' {
  export interface Font {
    readonly unitsPerEm: number;
    readonly cmap?: object;
    readonly characterSet: readonly number[];
    glyphForCodePoint(codePoint: number): { readonly id: number };
    hasGlyphForCodePoint(codePoint: number): boolean;
    layout(text: string, features?: readonly string[]): { readonly advanceWidth: number };
  }
  export function create(bytes: Uint8Array): Font;
}

declare module 'linebreak' {
  export default class LineBreaker {
    constructor(text: string);
    nextBreak(): { readonly position: number; readonly required: boolean } | null;
  }
}

declare module 'bidi-js' {
  export interface Bidi {
    getEmbeddingLevels(text: string, direction: 'ltr' | 'rtl'): { readonly levels: Uint8Array };
    getMirroredCharacter(character: string): string | null;
  }
  export default function createBidi(): Bidi;
}
