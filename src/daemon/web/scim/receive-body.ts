import type { IncomingMessage } from 'node:http';
import { LARGEST_BODY, LARGEST_GROUP_BODY } from '../../../connectors/scim-protocol/discovery.js';
import { invalidSyntax, ScimError } from '../../../connectors/scim-protocol/scim-error.js';

/** Time allowed for a body in addition to the time that its bytes take. */
const PATIENCE_MS = 10_000;
/** A slower body is rejected, even if it arrives steadily. */
const SLOWEST_BYTES_PER_SECOND = 64 * 1024;
const CHECK_MS = 500;

/**
 * Copies all bytes of a body to their final place, so that little garbage is left while they arrive.
 *
 * @param limits.space the buffer for the bytes
 * @param limits.grow called once a body without a length outgrows the space; receiving pauses meanwhile
 * @returns the used part of the space
 * @throws ScimError 413 if the body is too large, 408 if it arrives too slowly, 400 if it ends early
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
        stop(new ScimError(408, 'The body arrives too slowly.'));
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
      // The chunk is read again once there is room for it.
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
      stop(invalidSyntax('The body is truncated.'));
    }
    request.on('data', take).once('end', finish).once('close', giveUp).on('error', giveUp);
  });
}

export function tooLarge(limit: number): ScimError {
  return new ScimError(413, `The body is larger than ${limit} bytes (maxPayloadSize).`);
}

/** Sizes of reusable buffers, and the number of buffers kept per size. */
const SHELVES = [
  { bytes: LARGEST_BODY, most: 8 },
  { bytes: LARGEST_GROUP_BODY, most: 1 },
] as const;

/**
 * Reusable buffers for bodies. Without reuse, the buffers of 300 stalled or broken connections took 500 MiB, although
 * at most four were used at the same time.
 */
export class BodySpaces {
  private readonly shelves = SHELVES.map((shelf) => ({ ...shelf, free: [] as Buffer[] }));

  /** Returns a buffer of at least this size. The buffer contains data of an earlier body. */
  take(bytes: number): Buffer {
    const shelf = this.shelves.find((one) => bytes <= one.bytes);
    return shelf?.free.pop() ?? Buffer.allocUnsafeSlow(shelf?.bytes ?? bytes);
  }

  /** Returns an unused buffer. */
  giveBack(space: Buffer): void {
    const shelf = this.shelves.find((one) => space.length === one.bytes);
    if (shelf !== undefined && shelf.free.length < shelf.most) shelf.free.push(space);
  }
}
