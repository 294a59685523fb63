const GAPS = /[\s@.,_-]+/;

export function splitWords(text: string): readonly string[] {
  return text.split(GAPS).filter((word) => word !== '');
}

/**
 * "Also similar" of the user search: every word asked for is within a small edit distance of some word of the user.
 * One typo in words of four to six letters, two in longer ones; short words must be exact, or everything is similar.
 */
export function countAllowedEdits(wanted: string): 0 | 1 | 2 {
  if (wanted.length < 4) return 0;
  return wanted.length < 7 ? 1 : 2;
}
