import { withLeanHeap } from '../../../connectors/listing/lean-heap.js';

/** Requests that go through less leave too little behind to care; for them a lean heap would only cost time. */
const MUCH = 1024 * 1024;

/** Of one request: how much it goes through, and a lean heap from the moment on at which that is much. */
export class HeapCare {
  private sum = 0;
  private letGo = (): void => undefined;

  /** @param size bytes or characters that were read or made, about */
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
    // Too late for a lean heap, even for those that still weigh something.
    this.sum = Number.POSITIVE_INFINITY;
    this.letGo();
  }
}
