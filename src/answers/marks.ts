export const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
export const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

export type TakeMark = (mark: number, index: number) => void;

/** Finds the commas and brackets of JSON that comes in chunks; what is in texts is none. */
export function createMarkFinder(take: TakeMark): (chunk: Uint8Array) => void {
  let inText = false;
  let isEscaped = false;
  return (chunk) => {
    for (let index = 0; index < chunk.length; index++) {
      const byte = chunk[index] as number;
      if (inText) {
        if (isEscaped) isEscaped = false;
        else if (byte === BACKSLASH) isEscaped = true;
        else if (byte === QUOTE) inText = false;
      } else if (byte === QUOTE) inText = true;
      else if (
        byte === COMMA ||
        byte === OPEN_OBJECT ||
        byte === CLOSE_OBJECT ||
        byte === OPEN_LIST ||
        byte === CLOSE_LIST
      )
        take(byte, index);
    }
  };
}

export const isOpening = (mark: number): boolean => mark === OPEN_LIST || mark === OPEN_OBJECT;
export const isClosing = (mark: number): boolean => mark === CLOSE_LIST || mark === CLOSE_OBJECT;
