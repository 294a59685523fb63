/** Words that earlier runs have seen, grouped by the operand that reads them from a row. */
export interface Vocabulary {
  /** True if an earlier run has learnt words of this operand. */
  has(operand: string): boolean;
  /** True if an earlier run has seen the word, and always for an operand that is free text. */
  knows(operand: string, word: string): boolean;
}
