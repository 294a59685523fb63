/**
 * A fence stands between a tenant's run and other systems if the state is in PostgreSQL. Nothing leaves before its intent is safe
 * there, nor after another daemon may hold the tenant.
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
