export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** `The service e-mails 3 people` */
export function describeMails(mails: number): string {
  return `The service e-mails ${plural(mails, 'person', 'people')}`;
}

export function formatSeconds(seconds: number): string {
  if (seconds < 1) return 'a second';
  return seconds < 90 ? `${Math.ceil(seconds)} s` : `${Math.ceil(seconds / 60)} min`;
}

/** `2026-11-21 19:40 UTC` */
export function formatMinute(iso: string): string {
  return `${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC`;
}
