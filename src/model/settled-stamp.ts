/**
 * Checks that a timestamp of the service can no longer hide a later change. A timestamp in seconds hides changes later in the
 * same second; data read that early is read once more.
 *
 * @param serviceTimeMs the service's own time of the read; null if unknown
 */
export function isSettledStamp(stamp: string, serviceTimeMs: number | null): boolean {
  if (/T\d{2}:\d{2}:\d{2}\.\d/.test(stamp)) return true;
  return serviceTimeMs !== null && serviceTimeMs >= Date.parse(stamp) + 2000;
}
