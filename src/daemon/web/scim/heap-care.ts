import { withLeanHeap } from '../../../connectors/listing/lean-heap.js';

/** Smaller requests leave little garbage behind; a lean heap would only cost them time. */
const MUCH = 1024 * 1024;

/** Weighs one request, and keeps the heap lean once it is large. */
export class HeapCare {
  private sum = 0;
  private letGo = (): void => undefined;

  /** @param size approximate bytes or characters that were read or created */
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
    // It is too late for a lean heap, even if something is still weighed.
    this.sum = Number.POSITIVE_INFINITY;
    this.letGo();
  }
}
