/**
 * Protects calls to other systems when the state is in PostgreSQL. Nothing is sent before its intent is stored there.
 * Nothing is sent once another daemon may have taken over the tenant.
 */
export interface Fence {
  /**
   * Resolves when all commits are stored. Await it before each call that changes anything.
   * @throws SyncError
   */
  ship(): Promise<void>;
  /**
   * Call it right before sending.
   * @throws SyncError SYNC_LEASE_LOST
   */
  check(): void;
}

/**
 * Await this right before sending.
 * @throws SyncError
 */
export async function passFence(fence: Fence): Promise<void> {
  await fence.ship();
  fence.check();
}
