/** Words that earlier runs have seen, by the operand that reads them from a row. */
export interface Vocabulary {
  /** True if any run has learnt words of this operand. */
  has(operand: string): boolean;
  /** Always true for an operand that is free text. */
  knows(operand: string, word: string): boolean;
}
