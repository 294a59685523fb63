import { SHORT_HASH_LENGTH as DIGEST_LENGTH } from '../../model/sha256.js';

/** Slots per digest: with fewer, look-ups take longer. */
const ROOM = 1.5;

/**
 * Finds rows by the digest of their content. Flat arrays need 39 MB for a million rows, and a Map of strings three
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

  /** Null if no row has that content. */
  find(digest: string): number | null {
    return this.rows[this.placeOf(digest)] || null;
  }

  /** The slot of the digest, or the free slot where it belongs. */
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

/** A digest is practically random already, so some of its characters suffice. */
function scatter(digest: string): number {
  let number = 0;
  for (let index = 0; index < 8; index += 1) number = (number * 67 + codeAt(digest, index)) | 0;
  return number;
}

/** 0 after the end of a text. */
function codeAt(text: string, index: number): number {
  return text.charCodeAt(index) | 0;
}
