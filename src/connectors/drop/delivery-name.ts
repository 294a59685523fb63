import { adviseName } from '../../model/nearest.js';
import { createWallClock } from '../cells/zoned-time.js';
import type { WriteDelivery } from '../source-writer.js';

const WORDS = ['run', 'date', 'time'];

/**
 * Names the file of a delivery. `{run}` is the run's id; `{date}` (`20260131`) and `{time}` (`235959`) are the time when
 * the run began. The same delivery always gets the same name.
 */
export function nameFile(template: string, { run, atMs }: WriteDelivery, timezone: string): string {
  const wall = createWallClock(timezone)(atMs);
  const pad = (value: number, length = 2): string => String(value).padStart(length, '0');
  return template
    .replaceAll('{run}', run)
    .replaceAll('{date}', `${pad(wall.year, 4)}${pad(wall.month)}${pad(wall.day)}`)
    .replaceAll('{time}', `${pad(wall.hour)}${pad(wall.minute)}${pad(wall.second)}`);
}

/**
 * The name of a file while it is being written. Readers skip such a file, because only patterns that begin with a dot
 * match the name.
 */
export function namePartial(name: string): string {
  const folder = name.slice(0, name.lastIndexOf('/') + 1);
  return `${folder}.${name.slice(folder.length)}.partial`;
}

/** Returns a pattern with `*` for all names that a template can produce. */
export function patternOf(template: string): string {
  return template.replaceAll(/\{\w+\}/g, '*');
}

/** Returns the reason why a template cannot name files; null if it can. */
export function findNameProblem(template: string): { readonly message: string; readonly remedy: string } | null {
  const unknown = [...template.matchAll(/\{([^{}]*)\}/g)]
    .map(([, word = '']) => word)
    .find((one) => !WORDS.includes(one));
  if (unknown !== undefined) {
    const remedy = adviseName(unknown, WORDS, 'Use {run}, {date} or {time}.', (near) => `\`{${near}}\``);
    return { message: `\`{${unknown}}\` is not known in \`name\``, remedy };
  }
  const rest = template.replaceAll(/\{\w+\}/g, '');
  if (/[/\\{}<>:"|?*\p{Cc}]/u.test(rest) || template.startsWith('.') || Buffer.byteLength(template) > 150) {
    return {
      message: `"${template}" is not a safe file name`,
      remedy:
        'Write a name without a folder, without a dot at its start, and without any of < > : " | ? *; the folder is `drop`.',
    };
  }
  if (!/\.(?:csv|tsv|txt)$/i.test(template)) {
    return {
      message: `"${template}" does not look like CSV, the format that is written`,
      remedy: 'Use a name that ends with .csv, .tsv or .txt.',
    };
  }
  if (template.includes('{run}') || (template.includes('{date}') && template.includes('{time}'))) return null;
  return {
    message: `"${template}" would give the files of two runs the same name`,
    remedy: 'Put `{run}` in it, or `{date}` and `{time}`: an existing file is never replaced.',
  };
}
