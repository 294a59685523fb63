import { existsSync } from 'node:fs';
import { delimiter, resolve } from 'node:path';
import { TestRunner } from 'vitest';
import { ROOT } from './module-graph.js';
import TOOLS from './tools.json' with { type: 'json' };

export type ToolName = keyof typeof TOOLS;

export const toolNames = Object.keys(TOOLS) as readonly ToolName[];

export function isToolName(name: string): name is ToolName {
  return Object.hasOwn(TOOLS, name);
}

/** The path of a tool; null if it is missing. */
export function lookForTool(name: ToolName): string | null {
  const { variable, places } = TOOLS[name];
  const named = process.env[variable];
  return (named === undefined ? places.flatMap(listFiles) : [named]).find((file) => existsSync(file)) ?? null;
}

/**
 * The path of a program other than Node that a test needs: from the environment variable, from the usual folders of
 * distributions, or from the PATH. If the program is missing, the test is reported as skipped, and the other tests still run.
 */
export function findTool(name: ToolName): string {
  const found = lookForTool(name);
  if (found !== null) return found;
  const { variable, holds, ...by } = TOOLS[name];
  const install = describeInstall(by);
  const note = `${holds}: ${install}, or name ${name} in ${variable}`;
  TestRunner.getCurrentTest()?.context.skip(note);
  throw new Error(`${name} is missing, and asked for outside of a test: ${note}`);
}

/** A plain name is searched for on the PATH. */
function listFiles(place: string): readonly string[] {
  if (place.includes('/')) return [resolve(ROOT, place)];
  return (process.env.PATH ?? '').split(delimiter).map((folder) => resolve(folder, place));
}

function describeInstall(by: { readonly package?: string; readonly folder?: string }): string {
  return by.package === undefined ? `npm ci --prefix ${by.folder}` : `apt-get install ${by.package}`;
}
