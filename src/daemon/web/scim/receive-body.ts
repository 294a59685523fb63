import type { IncomingMessage } from 'node:http';
import { LARGEST_BODY, LARGEST_GROUP_BODY } from '../../../connectors/scim-protocol/discovery.js';
import { invalidSyntax, ScimError } from '../../../connectors/scim-protocol/scim-error.js';

/** What a body has beside the time that its bytes take. */
const PATIENCE_MS = 10_000;
/** Slower ones are cut, however steadily they come. */
const SLOWEST_BYTES_PER_SECOND = 64 * 1024;
const CHECK_MS = 500;

/**
 * All bytes of a body, copied to where they stay: what is left behind as they come is small.
 *
 * @param limits.space where they go
 * @param limits.grow called once a body without a length outgrows it; what comes is left in the network meanwhile
 * @returns the part of the space that they take
 * @throws ScimError 413 when it is larger than allowed, 408 when it comes too slowly; 400 when it ends before its time
 */
export function receiveBody(
  request: IncomingMessage,
  limits: { readonly space: Buffer; readonly large: number; grow(): Promise<Buffer> },
  now = () => performance.now(),
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const startedMs = now();
    let space = limits.space;
    let received = 0;
    let waitedMs = 0;
    const timer = setInterval(() => {
      if (request.isPaused()) waitedMs += CHECK_MS;
      else if (now() - startedMs - waitedMs > PATIENCE_MS + (received / SLOWEST_BYTES_PER_SECOND) * 1_000)
        stop(new ScimError(408, 'The body comes too slowly.'));
    }, CHECK_MS);

    function settle(): void {
      clearInterval(timer);
      request.off('data', take).off('end', finish).off('close', giveUp);
    }
    function stop(error: unknown): void {
      settle();
      request.pause();
      reject(error);
    }
    function take(chunk: Buffer): void {
      if (received + chunk.length > limits.large) stop(tooLarge(limits.large));
      else if (received + chunk.length > space.length) grow(chunk);
      else received += chunk.copy(space, received);
    }
    function grow(chunk: Buffer): void {
      request.pause();
      // Comes again once there is room for it.
      request.unshift(chunk);
      limits.grow().then((larger) => {
        space.copy(larger, 0, 0, received);
        space = larger;
        request.resume();
      }, stop);
    }
    function finish(): void {
      settle();
      resolve(space.subarray(0, received));
    }
    function giveUp(): void {
      stop(invalidSyntax('The body ends before its time.'));
    }
    request.on('data', take).once('end', finish).once('close', giveUp).on('error', giveUp);
  });
}

export function tooLarge(limit: number): ScimError {
  return new ScimError(413, `The body is larger than ${limit} bytes (maxPayloadSize).`);
}

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
