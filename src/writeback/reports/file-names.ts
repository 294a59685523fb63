import type { DeliveredReport } from '../../config/resolve-deliveries.js';
import { nameFile } from '../../connectors/drop/delivery-name.js';

/** The name of a slot's file: the same one whenever it is made. Date and time are those of the slot, in the schedule's zone. */
export function nameReport({ name, fileName, schedule }: DeliveredReport, slotMs: number): string {
  return nameFile(fileName.replaceAll('{report}', name), { run: '', atMs: slotMs }, schedule.timezone);
}

/** `skills-20261120.xlsx` in three files: `skills-20261120-1of3.xlsx` and so on. */
export function nameParts(name: string, parts: number): readonly string[] {
  if (parts === 1) return [name];
  const dot = name.lastIndexOf('.');
  return Array.from({ length: parts }, (_, i) => `${name.slice(0, dot)}-${i + 1}of${parts}${name.slice(dot)}`);
}
