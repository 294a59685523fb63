// Loaded before the program for pictures: fixes the time and the random bytes. Actions before that time run at PICTURE_MOMENT.
import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';

const MOMENT = Date.parse(process.env.PICTURE_MOMENT ?? '2026-11-20T08:00:00Z');
const RealDate = Date;

globalThis.Date = class extends RealDate {
  constructor(...args) {
    super(...(args.length === 0 ? [MOMENT] : args));
  }

  static now() {
    return MOMENT;
  }
};

let drawn = 0;

/** A digest of the arguments and a counter, the same in each run. */
function drawBytes(size) {
  const parts = [];
  for (let left = size; left > 0; left -= 32) {
    drawn += 1;
    parts.push(
      crypto
        .createHash('sha256')
        .update(`${process.argv.slice(2).join(' ')} ${drawn}`)
        .digest(),
    );
  }
  return Buffer.concat(parts).subarray(0, size);
}

crypto.randomBytes = (size, callback) => {
  const bytes = drawBytes(size);
  if (callback === undefined) return bytes;
  process.nextTick(callback, null, bytes);
};
crypto.randomUUID = () => {
  const hex = drawBytes(16).toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20)].join('-');
};
syncBuiltinESMExports();
