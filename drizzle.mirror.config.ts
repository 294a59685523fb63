import { defineConfig } from 'drizzle-kit';

export default defineConfig({
  dialect: 'sqlite',
  schema: ['./src/store/mirror/mirror-schema.ts', './src/store/shared-texts-schema.ts'],
  out: './migrations/mirror',
});
