import { withLeanHeap } from '../../connectors/listing/lean-heap.js';

/** Requests that go through less leave too little behind to care; for them a lean heap would only cost time. */
const MUCH = 1024 * 1024;

/** Of one request: how much it goes through, and a lean heap from the moment on at which that is much. */
export interface HeapCare {
  /** @param size bytes or characters that were read or made, about */
  weigh(size: number): void;
  end(): void;
}

export function createHeapCare(): HeapCare {
  let sum = 0;
  let end = (): void => undefined;
  return {
    weigh(size) {
      const before = sum;
      sum += size;
      if (before > MUCH || sum <= MUCH) return;
      void withLeanHeap(
        () =>
          new Promise<void>((resolve) => {
            end = resolve;
          }),
      );
    },
    end() {
      // Too late for a lean heap, even for those that still weigh something.
      sum = Number.POSITIVE_INFINITY;
      end();
    },
  };
}
