// The minimum work of a Node.js server: it reads a request and answers an empty object. Prints its address like a log line.
import { createServer } from 'node:http';

const server = createServer((request, response) => {
  request.resume().on('end', () => {
    response.setHeader('content-type', 'application/scim+json');
    response.end('{}');
  });
});
server.listen(0, '127.0.0.1', () => {
  process.stderr.write(`${JSON.stringify({ url: `http://127.0.0.1:${server.address().port}` })}\n`);
});
process.on('SIGTERM', () => process.exit());
