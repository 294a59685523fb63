import type { DeliveredReport } from '../../config/delivery-config.js';

/** The name of a slot's file: the same one whenever it is made. Date and time are those of the slot, in the schedule's zone. */
export function nameFile({ name, fileName, schedule }: DeliveredReport, slotMs: number): string {
  const parts = new Intl.DateTimeFormat('en-CA', {
    timeZone: schedule.timezone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
  }).formatToParts(slotMs);
  const of = (type: Intl.DateTimeFormatPartTypes): string => parts.find((part) => part.type === type)?.value ?? '';
  return fileName
    .replaceAll('{report}', name)
    .replaceAll('{date}', `${of('year')}-${of('month')}-${of('day')}`)
    .replaceAll('{time}', `${of('hour')}${of('minute')}`);
}

/** `skills-2026-11-20.xlsx` in three files: `skills-2026-11-20-1of3.xlsx` and so on. */
export function nameParts(name: string, parts: number): readonly string[] {
  if (parts === 1) return [name];
  const dot = name.lastIndexOf('.');
  return Array.from({ length: parts }, (_, i) => `${name.slice(0, dot)}-${i + 1}of${parts}${name.slice(dot)}`);
}
