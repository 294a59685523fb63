const [QUOTE, BACKSLASH] = [0x22, 0x5c];
export const [COMMA, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x2c, 0x5b, 0x5d, 0x7b, 0x7d];
/** Byte → whether it is a mark: every byte of an answer is looked up here. */
const IS_MARK = new Uint8Array(256);
for (const mark of [COMMA, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT]) IS_MARK[mark] = 1;

/** Finds the commas and brackets of JSON that comes in chunks; what is in texts is none. */
export function createMarkFinder(take: (mark: number, index: number) => void): (chunk: Uint8Array) => void {
  let inText = false;
  let isEscaped = false;
  return (chunk) => {
    for (let index = 0; index < chunk.length; index++) {
      const byte = chunk[index] as number;
      if (isEscaped) isEscaped = false;
      else if (byte === QUOTE) inText = !inText;
      else if (inText) isEscaped = byte === BACKSLASH;
      else if (IS_MARK[byte] === 1) take(byte, index);
    }
  };
}

export const isOpening = (mark: number): boolean => mark === OPEN_LIST || mark === OPEN_OBJECT;
export const isClosing = (mark: number): boolean => mark === CLOSE_LIST || mark === CLOSE_OBJECT;
