/** Words that earlier runs have seen, by what of a row they were read from. */
export interface Vocabulary {
  /** Whether any run has learnt it. */
  has(operand: string): boolean;
  /** True of everything in a free text. */
  knows(operand: string, word: string): boolean;
}
