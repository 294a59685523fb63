/** The numbers of the rows that this run has seen. */
export class SeenRows {
  private bits = new Uint8Array(128);

  has(row: number): boolean {
    return ((this.bits[row >> 3] ?? 0) & (1 << (row & 7))) !== 0;
  }

  add(row: number): void {
    if (row >> 3 >= this.bits.length) {
      const longer = new Uint8Array((row >> 2) + 1);
      longer.set(this.bits);
      this.bits = longer;
    }
    this.bits[row >> 3] = (this.bits[row >> 3] ?? 0) | (1 << (row & 7));
  }

  clear(): void {
    this.bits.fill(0);
  }
}
