import { codeOf } from './errors.js';

/** True if a process with this id runs on this machine, or if that is unknown. */
export function isAlive(pid: number): boolean {
  if (!Number.isInteger(pid)) return true;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) !== 'ESRCH';
  }
}
