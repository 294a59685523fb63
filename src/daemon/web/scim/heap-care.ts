import { withLeanHeap } from '../../../connectors/listing/lean-heap.js';

/** Below this size, a request leaves little garbage behind, and a lean heap would only slow it down. */
const MUCH = 1024 * 1024;

/** Weighs one request, and keeps the heap lean once the request is large. */
export class HeapCare {
  private sum = 0;
  private letGo = (): void => undefined;

  /** @param size approximate number of bytes or characters that were read or created */
  weigh(size: number): void {
    const before = this.sum;
    this.sum += size;
    if (before > MUCH || this.sum <= MUCH) return;
    const ended = new Promise<void>((resolve) => {
      this.letGo = resolve;
    });
    void withLeanHeap(() => ended);
  }

  end(): void {
    // A lean heap would come too late, even if more data is weighed.
    this.sum = Number.POSITIVE_INFINITY;
    this.letGo();
  }
}
