import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '../samples.js';

const RULES = `
[ca]
default_ca = own
[own]
database = index.txt
new_certs_dir = .
serial = serial
default_md = sha256
policy = names
x509_extensions = hosts
[names]
commonName = supplied
[hosts]
subjectAltName = IP:127.0.0.1
`;

/** The PEM texts of a certificate for loopback that was valid for one day of 2025. */
export function makeExpiredCertificate(): { readonly cert: string; readonly key: string } {
  const cwd = makeFolder();
  const run = (...args: string[]): void => void execFileSync('openssl', args, { cwd, stdio: 'pipe' });
  writeFileSync(join(cwd, 'index.txt'), '');
  writeFileSync(join(cwd, 'rules.cnf'), RULES);
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'];
  run('req', '-new', '-nodes', ...curve, '-keyout', 'key.pem', '-out', 'asked.pem', '-subj', '/CN=expired');
  const signed = [
    '-selfsign',
    '-in',
    'asked.pem',
    '-keyfile',
    'key.pem',
    '-create_serial',
    '-out',
    'cert.pem',
    '-notext',
  ];
  const days = ['-startdate', '20250101000000Z', '-enddate', '20250102000000Z'];
  run('ca', '-batch', '-config', 'rules.cnf', ...signed, ...days);
  const read = (name: string): string => readFileSync(join(cwd, name), 'utf8');
  return { cert: read('cert.pem'), key: read('key.pem') };
}
