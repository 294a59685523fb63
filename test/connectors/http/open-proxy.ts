import { createServer, type RequestListener, type Server, request as sendOn } from 'node:http';
import { type AddressInfo, connect } from 'node:net';

export interface TestProxy {
  readonly url: string;
  /** The credentials of each call. */
  readonly logins: readonly (string | undefined)[];
  readonly server: Server;
}

/** Starts a proxy that creates tunnels and forwards plain HTTP requests. @param status of every answer to CONNECT */
export async function openProxy(status = 200): Promise<TestProxy> {
  const logins: (string | undefined)[] = [];
  const forward: RequestListener = (request, response) => {
    logins.push(request.headers['proxy-authorization']);
    request.pipe(
      sendOn(request.url ?? '', { method: request.method }, (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      }),
    );
  };
  const server = createServer(forward).on('connect', (request, socket) => {
    logins.push(request.headers['proxy-authorization']);
    if (status !== 200) {
      socket.end(`HTTP/1.1 ${status} No\r\n\r\n`);
      return;
    }
    const [host = '', port = ''] = (request.url ?? '').split(':');
    const onward = connect(Number(port), host, () => {
      socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      socket.pipe(onward).pipe(socket);
    });
    onward.on('error', () => socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, logins, server };
}
