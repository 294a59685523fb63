import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Certificates {
  readonly ca: string;
  readonly server: { readonly cert: string; readonly key: string };
  readonly client: { readonly cert: string; readonly key: string };
}

/**
 * Creates a private authority with certificates for a loopback server and for a client; the passphrase of the client’s
 * key is `open`.
 */
export function makeCertificates(folder: string): Certificates {
  const run = (...args: string[]): void => {
    execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' });
  };
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-days', '2'];
  run('req', '-x509', '-nodes', ...curve, '-keyout', 'ca.key', '-out', 'ca.pem', '-subj', '/CN=Private authority');
  const sign = (name: string, protection: readonly string[]): void => {
    run(
      'req',
      ...curve,
      ...protection,
      '-keyout',
      `${name}.key`,
      '-out',
      `${name}.csr`,
      '-subj',
      `/CN=${name}`,
      '-addext',
      'subjectAltName=IP:127.0.0.1',
    );
    run(
      'x509',
      '-req',
      '-in',
      `${name}.csr`,
      '-CA',
      'ca.pem',
      '-CAkey',
      'ca.key',
      '-CAcreateserial',
      '-days',
      '2',
      '-copy_extensions',
      'copy',
      '-out',
      `${name}.pem`,
    );
  };
  sign('server', ['-nodes']);
  sign('client', ['-passout', 'pass:open']);
  const read = (name: string): string => readFileSync(join(folder, name), 'utf8');
  return {
    ca: read('ca.pem'),
    server: { cert: read('server.pem'), key: read('server.key') },
    client: { cert: read('client.pem'), key: read('client.key') },
  };
}
