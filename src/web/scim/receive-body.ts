import type { IncomingMessage } from 'node:http';
import { ScimError } from '../../scim/scim-error.js';

/** What a body has beside the time that its bytes take. */
const PATIENCE_MS = 10_000;
/** Slower ones are cut, however steadily they come. */
const SLOWEST_BYTES_PER_SECOND = 64 * 1024;
const CHECK_MS = 500;
const LARGE = 1024 * 1024;

/**
 * All bytes of a body.
 *
 * @param limits.grow called once a body without a length outgrows `limits.small`; what comes is left in the network meanwhile
 * @throws ScimError 413 when it is larger than allowed, 408 when it comes too slowly; 400 when it ends before its time
 */
export function receiveBody(
  request: IncomingMessage,
  limits: { readonly small: number; readonly large: number; grow(): Promise<void> },
  now = () => performance.now(),
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const startedMs = now();
    // Where its length is said the bytes go to their place at once, so that they are never there twice.
    const length = Number(request.headers['content-length'] ?? Number.NaN);
    const whole = length > LARGE && length <= limits.large ? Buffer.allocUnsafe(length) : null;
    const chunks: Buffer[] = [];
    let received = 0;
    let waitedMs = 0;
    let limit = limits.small;
    let isGrowing = false;
    const timer = setInterval(() => {
      if (isGrowing) waitedMs += CHECK_MS;
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
      chunks.length = 0;
      reject(error);
    }
    function take(chunk: Buffer): void {
      if (whole === null) chunks.push(chunk);
      else chunk.copy(whole, received);
      received += chunk.length;
      if (received > limits.large) stop(tooLarge(limits.large));
      else if (received > limit && !isGrowing) grow();
    }
    function grow(): void {
      isGrowing = true;
      request.pause();
      limits.grow().then(() => {
        isGrowing = false;
        limit = limits.large;
        request.resume();
      }, stop);
    }
    function finish(): void {
      settle();
      resolve(whole ?? Buffer.concat(chunks, received));
    }
    function giveUp(): void {
      stop(new ScimError(400, 'The body ends before its time.', 'invalidSyntax'));
    }
    request.on('data', take).once('end', finish).once('close', giveUp).on('error', giveUp);
  });
}

export function tooLarge(limit: number): ScimError {
  return new ScimError(413, `The body is larger than ${limit} bytes (maxPayloadSize).`);
}
