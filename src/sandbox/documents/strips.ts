/**
 * A line of text, or other content in which page breaks are not allowed. It is laid out first, and drawn when its page is
 * known.
 */
export interface Strip {
  /** Space in points above the strip, unless it begins a page. */
  readonly gap: number;
  readonly height: number;
  /** True if the strip must not be the last on a page. */
  readonly keepsNext: boolean;
  /** @param top in points from the top of the page */
  readonly draw: (top: number) => void;
}

export interface StripPlace {
  readonly page: number;
  /** Distance in points from the upper margin. */
  readonly top: number;
}

/**
 * Places strips on pages of the given height. Strips that are kept together move to a new page together, unless they are longer
 * than a page.
 */
export function paginate(strips: readonly Omit<Strip, 'draw'>[], height: number): readonly StripPlace[] {
  const places: StripPlace[] = [];
  let page = 0;
  let used = 0;
  for (const group of groupKept(strips)) {
    const needed = group.reduce((sum, strip, index) => sum + strip.height + (used + index > 0 ? strip.gap : 0), 0);
    let isNew = used > 0 && used + needed > height;
    for (const strip of group) {
      const gap = used > 0 ? strip.gap : 0;
      isNew ||= used > 0 && used + gap + strip.height > height;
      if (isNew) page += 1;
      const top = isNew ? 0 : used + gap;
      places.push({ page, top });
      used = top + strip.height;
      isNew = false;
    }
  }
  return places;
}

function groupKept<T extends { readonly keepsNext: boolean }>(strips: readonly T[]): readonly (readonly T[])[] {
  const groups: T[][] = [];
  let isOpen = false;
  for (const strip of strips) {
    if (isOpen) groups.at(-1)?.push(strip);
    else groups.push([strip]);
    isOpen = strip.keepsNext;
  }
  return groups;
}

/** Merges columns that are next to each other, line by line. */
export function zipColumns(columns: readonly (readonly Strip[])[]): readonly Strip[] {
  const rows = Math.max(0, ...columns.map((strips) => strips.length));
  return Array.from({ length: rows }, (_, row) => {
    const cells = columns.flatMap((strips) => strips[row] ?? []);
    const gap = Math.min(...cells.map((cell) => cell.gap));
    return {
      gap,
      height: Math.max(...cells.map((cell) => cell.gap - gap + cell.height)),
      keepsNext: cells.some((cell) => cell.keepsNext),
      draw(top) {
        for (const cell of cells) cell.draw(top + cell.gap - gap);
      },
    };
  });
}

/** Merges strips into one strip, in which page breaks are not allowed. */
export function joinStrips(strips: readonly Strip[]): Strip {
  const tops: number[] = [];
  let height = 0;
  for (const [index, strip] of strips.entries()) {
    const top = height + (index > 0 ? strip.gap : 0);
    tops.push(top);
    height = top + strip.height;
  }
  return {
    gap: strips[0]?.gap ?? 0,
    height,
    keepsNext: strips.at(-1)?.keepsNext ?? false,
    draw(top) {
      for (const [index, strip] of strips.entries()) strip.draw(top + (tops[index] ?? 0));
    },
  };
}
