import { SHORT_HASH_LENGTH as DIGEST_LENGTH } from '../../model/sha256.js';

/** Number of slots per digest. With fewer slots, look-ups take longer. */
const ROOM = 1.5;

/**
 * Finds rows by the digest of their content. For a million rows, flat arrays need 39 MB; a Map of strings needs three
 * times as much.
 */
export class DigestIndex {
  private readonly places: number;
  private readonly texts: Uint8Array;
  private readonly rows: Int32Array;

  constructor(size: number) {
    this.places = Math.ceil(size * ROOM) + 1;
    this.texts = new Uint8Array(this.places * DIGEST_LENGTH);
    this.rows = new Int32Array(this.places);
  }

  /** @param row greater than 0 */
  add(digest: string, row: number): void {
    const place = this.placeOf(digest);
    this.rows[place] = row;
    for (let index = 0; index < DIGEST_LENGTH; index += 1)
      this.texts[place * DIGEST_LENGTH + index] = codeAt(digest, index);
  }

  /** Returns null if no row has that content. */
  find(digest: string): number | null {
    return this.rows[this.placeOf(digest)] || null;
  }

  /** Returns the digest's slot, or the free slot where it belongs. */
  private placeOf(digest: string): number {
    let place = Math.abs(scatter(digest)) % this.places;
    while (this.rows[place] !== 0 && !this.isAt(place, digest)) place = (place + 1) % this.places;
    return place;
  }

  private isAt(place: number, digest: string): boolean {
    const start = place * DIGEST_LENGTH;
    for (let index = 0; index < DIGEST_LENGTH; index += 1)
      if (this.texts[start + index] !== codeAt(digest, index)) return false;
    return true;
  }
}

/** Computes a number from a few characters of the digest, because a digest is already practically random. */
function scatter(digest: string): number {
  let number = 0;
  for (let index = 0; index < 8; index += 1) number = (number * 67 + codeAt(digest, index)) | 0;
  return number;
}

/** Returns 0 after the end of the text. */
function codeAt(text: string, index: number): number {
  return text.charCodeAt(index) | 0;
}
