// Writes the changes of a saved plan as JSON, one per line. This is the minimum work of any report about the plan.
// Usage: node json-of-plan.mjs PLAN OUT
import { once } from 'node:events';
import { createReadStream, createWriteStream } from 'node:fs';
import { createInterface } from 'node:readline';

const [plan, out] = process.argv.slice(2);
const file = createWriteStream(out);
let changes = 0;
let part = [];
for await (const line of createInterface({ input: createReadStream(plan) })) {
  if (!line.startsWith('{"action":')) continue;
  const change = JSON.parse(line.replace(/,$/, ''));
  part.push(JSON.stringify(change));
  changes += 1;
  if (part.length === 500) await write();
}
await write();
file.end();
await once(file, 'close');
process.stdout.write(JSON.stringify({ changes }));

async function write() {
  const hasRoom = file.write(`${part.join('\n')}\n`);
  part = [];
  if (!hasRoom) await once(file, 'drain');
}
