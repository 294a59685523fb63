const DIGITS = 24;
const WORDS = 3;
const WORD_DIGITS = DIGITS / WORDS;
/** Above this share of taken slots, look-ups would take longer. */
const FULLEST = 0.5;

/**
 * A set of ids. The service's ids are 96 bits in hexadecimal, so they are stored as numbers, which take a third of the
 * memory of texts. Ids in any other form are stored as texts.
 */
export class IdSet {
  readonly #others = new Set<string>();
  /** The three words of each slot. In a free slot all are 0, so the id of zeros is stored as text. */
  #words = new Uint32Array(1_024 * WORDS);
  #taken = 0;
  /** The words of the id that is being added. */
  readonly #id = new Uint32Array(WORDS);

  /** Returns false if the set already contains the id. */
  add(id: string): boolean {
    if (!readWords(id, this.#id)) {
      const before = this.#others.size;
      return this.#others.add(id).size > before;
    }
    const slot = findSlot(this.#words, this.#id);
    if (!isFree(this.#words, slot)) return false;
    this.#words.set(this.#id, slot);
    this.#taken += 1;
    if (this.#taken * WORDS > this.#words.length * FULLEST) this.#grow();
    return true;
  }

  #grow(): void {
    const longer = new Uint32Array(this.#words.length * 2);
    for (let slot = 0; slot < this.#words.length; slot += WORDS) {
      if (isFree(this.#words, slot)) continue;
      const id = this.#words.subarray(slot, slot + WORDS);
      longer.set(id, findSlot(longer, id));
    }
    this.#words = longer;
  }
}

/** Returns false for an id in another form. */
function readWords(id: string, words: Uint32Array): boolean {
  if (id.length !== DIGITS) return false;
  for (let at = 0; at < WORDS; at += 1) {
    let word = 0;
    for (let digit = at * WORD_DIGITS; digit < (at + 1) * WORD_DIGITS; digit += 1) {
      const value = digitOf(id.charCodeAt(digit));
      if (value < 0) return false;
      word = word * 16 + value;
    }
    words[at] = word;
  }
  return !isFree(words, 0);
}

/** Returns the value of a lower-case hexadecimal digit; -1 for any other character. */
function digitOf(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  return code >= 0x61 && code <= 0x66 ? code - 0x61 + 10 : -1;
}

function isFree(words: Uint32Array, slot: number): boolean {
  return words[slot] === 0 && words[slot + 1] === 0 && words[slot + 2] === 0;
}

/** Returns the index of the slot that contains the id, or of the free slot where it belongs. */
function findSlot(words: Uint32Array, id: Uint32Array): number {
  const [first = 0, second = 0, third = 0] = id;
  const scattered = Math.imul(Math.imul(first ^ 0x9e3779b1, 0x85ebca6b) ^ second, 0xc2b2ae35) ^ third;
  let slot = ((Math.imul(scattered, 0x9e3779b1) >>> 0) % (words.length / WORDS)) * WORDS;
  while (!isFree(words, slot)) {
    if (words[slot] === first && words[slot + 1] === second && words[slot + 2] === third) break;
    slot = (slot + WORDS) % words.length;
  }
  return slot;
}
