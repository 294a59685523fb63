// Uploads a CSV file of users. With --dry-run, the service only checks it.
//
//   node examples/client/import-users.mjs people.csv --dry-run
import { readFileSync } from 'node:fs';
import { createTalentService, ServiceError } from 'talent-sync/service';

const service = createTalentService({
  baseUrl: process.env.TALENT_BASE_URL ?? 'http://127.0.0.1:8080',
  apiKey: process.env.TALENT_API_KEY ?? 'admin-key',
});

const [file = 'people.csv', option] = process.argv.slice(2);
try {
  const { value } = await service.writer.users.importCsv(readFileSync(file), { dryRun: option === '--dry-run' });
  console.log(`started as task ${value.import_task}${value.dry_run ? ', as a dry run' : ''}`);
} catch (error) {
  if (!(error instanceof ServiceError)) throw error;
  console.error(`${error.message} Request ${error.requestId}; sending it again: ${error.retry}.`);
  process.exitCode = 1;
}
await service.close();
