import { existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

const ROOT = dirname(import.meta.dirname);
const SOURCES = join(ROOT, 'src/');
const BUILT = join(ROOT, 'dist/');

/**
 * Loads the modules of `dist/` for tests that import those of `src/`. Node.js runs them natively. Between transformed
 * modules, each call goes through a getter, which takes a sixth of a story's processor time. Transforming a thousand
 * files takes as long as twenty stories.
 *
 * @throws Error if a source is newer than the build
 */
export function useBuiltModules() {
  checkAge();
  return {
    name: 'built-modules',
    enforce: 'pre' as const,
    resolveId(source: string, importer?: string) {
      const path = importer !== undefined && source.startsWith('.') ? join(dirname(importer), source) : '';
      const built = path.replace(SOURCES, BUILT);
      return path.startsWith(SOURCES) && existsSync(built) ? { id: built, external: true } : null;
    },
  };
}

export const BUILT_MODULES = /\/dist\//;

function checkAge(): void {
  const built = statSync(join(BUILT, 'main.js'), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const newer = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' }).find(
    (name) => name.endsWith('.ts') && statSync(join(SOURCES, name)).mtimeMs > built,
  );
  if (newer !== undefined) throw new Error(`src/${newer} is newer than dist/: npm run build`);
}
