import { LARGEST_BODY, LARGEST_GROUP_BODY } from '../../scim/discovery.js';

/** Sizes of buffers that are used again, and how many of each are kept. */
const SHELVES = [
  { bytes: LARGEST_BODY, most: 8 },
  { bytes: LARGEST_GROUP_BODY, most: 1 },
] as const;

export interface BodySpaces {
  /** Room for a body of that many bytes, or more. What is in it is left of an earlier one. */
  take(bytes: number): Buffer;
  /** Nobody looks at it any more. */
  giveBack(space: Buffer): void;
}

/**
 * Buffers for bodies, used again and again: left to the garbage collector, those of 300 connections that stall or leave took
 * 500 MiB before it came to them, though only four were ever in use.
 */
export function createBodySpaces(): BodySpaces {
  const shelves = SHELVES.map(({ bytes, most }) => ({ bytes, most, free: [] as Buffer[] }));
  return {
    take(bytes) {
      const shelf = shelves.find((one) => bytes <= one.bytes);
      return shelf?.free.pop() ?? Buffer.allocUnsafeSlow(shelf?.bytes ?? bytes);
    },
    giveBack(space) {
      const shelf = shelves.find((one) => space.length === one.bytes);
      if (shelf !== undefined && shelf.free.length < shelf.most) shelf.free.push(space);
    },
  };
}
