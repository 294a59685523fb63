// Prints a CV report as JSON lines. It starts the report, waits for it, and reads the rows as they arrive.
//
//   node examples/client/cv-report.mjs user_report
import { createTalentService } from 'talent-sync/service';

const service = createTalentService({
  baseUrl: process.env.TALENT_BASE_URL ?? 'http://127.0.0.1:8080',
  apiKey: process.env.TALENT_API_KEY ?? 'admin-key',
});

const [type = 'user_report'] = process.argv.slice(2);
const onProgress = ({ state, percent }) => console.error(`${state} ${percent ?? '?'} %`);
for await (const row of service.reader.reports.readCvReportRows({ type }, { onProgress })) {
  console.log(JSON.stringify(row));
}
await service.close();
