import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, parse } from 'node:path';
import type { Story } from '../scenarios/kit.js';

/** The newest file of each stream. */
function listNewest(drop: string): readonly string[] {
  const newest = new Map<string, string>();
  for (const source of readdirSync(drop).sort()) {
    for (const name of readdirSync(join(drop, source)).sort()) {
      const stream = join(source, name.replace(/\d.*/, ''));
      newest.set(stream, join(drop, source, name));
    }
  }
  return [...newest.values()];
}

/**
 * A source starts to write its contents again, and does not finish. @returns a function that removes the partial file
 *
 * @param share from 0 up to 1: decides which of the files, and where it ends
 */
export function tearFile({ folder }: Story, share: number): () => void {
  const files = listNewest(join(folder, 'drop'));
  const file = files[Math.floor(share * files.length)];
  if (file === undefined) throw new Error('No source has delivered anything.');
  const bytes = readFileSync(file);
  const { dir, name, ext } = parse(file);
  const torn = join(dir, `${name}x${ext}`);
  writeFileSync(torn, bytes.subarray(0, 1 + Math.floor(((share * 997) % 1) * (bytes.length - 2))));
  return () => rmSync(torn);
}
