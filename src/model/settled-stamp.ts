/**
 * Whether nothing more can come under a stamp of the service. One of whole seconds hides what changes later in its own
 * second; what was read so soon is read once more.
 *
 * @param serviceTimeMs the service's own time at the reading; null where it does not tell
 */
export function isSettledStamp(stamp: string, serviceTimeMs: number | null): boolean {
  if (/T\d{2}:\d{2}:\d{2}\.\d/.test(stamp)) return true;
  return serviceTimeMs !== null && serviceTimeMs >= Date.parse(stamp) + 2000;
}
