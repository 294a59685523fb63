/**
 * What stands between a tenant's work and the world, where its state is in PostgreSQL: nothing leaves before its intent is safe
 * there, nor after the tenant may be another daemon's.
 */
export interface Fence {
  /** Resolves when all that was committed is safe. To be awaited before each call that changes anything. @throws SyncError */
  ship(): Promise<void>;
  /** To be asked right before bytes leave. @throws SyncError SYNC_LEASE_LOST */
  check(): void;
}

/** To be awaited right before something leaves. @throws SyncError */
export async function passFence(fence: Fence): Promise<void> {
  await fence.ship();
  fence.check();
}
