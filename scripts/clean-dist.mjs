// A build starts empty: files of modules that are gone must not linger in the package.
import { rmSync } from 'node:fs';

rmSync('dist', { recursive: true, force: true });
