import { LARGEST_BODY, LARGEST_GROUP_BODY } from '../../scim/discovery.js';

/** Sizes of buffers that are used again, and how many of each are kept. */
const SHELVES = [
  { bytes: LARGEST_BODY, most: 8 },
  { bytes: LARGEST_GROUP_BODY, most: 1 },
] as const;

/**
 * Buffers for bodies, used again and again: left to the garbage collector, those of 300 connections that stall or leave took
 * 500 MiB before it came to them, though only four were ever in use.
 */
export class BodySpaces {
  private readonly shelves = SHELVES.map((shelf) => ({ ...shelf, free: [] as Buffer[] }));

  /** Room for a body of that many bytes, or more. What is in it is left of an earlier one. */
  take(bytes: number): Buffer {
    const shelf = this.shelves.find((one) => bytes <= one.bytes);
    return shelf?.free.pop() ?? Buffer.allocUnsafeSlow(shelf?.bytes ?? bytes);
  }

  /** Nobody looks at it any more. */
  giveBack(space: Buffer): void {
    const shelf = this.shelves.find((one) => space.length === one.bytes);
    if (shelf !== undefined && shelf.free.length < shelf.most) shelf.free.push(space);
  }
}
