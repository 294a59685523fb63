import { expect, test } from 'vitest';
import { findLongestCall } from '../../../src/daemon/tenants/backend.js';
import { loadSample, SAMPLE } from '../../config/sample.js';

const LOGIN = `{ username: us, password: { env: HR_TOKEN }, timeout: 5m, host_key: "SHA256:${'A'.repeat(43)}" }`;
const DELIVER = `deliver: { drop: "sftp://sftp.example.com/out", sftp: ${LOGIN} }`;

test.each([
  ['a source over HTTP', '', 60_000],
  [
    'a report over SFTP',
    `deliveries: { skills: { kind: cv, type: technologies, schedule: "0 6 * * 1", ${DELIVER} } }`,
    300_000,
  ],
  ['documents over SFTP', `deliveries: { cvs: { kind: cv_documents, language: en, ${DELIVER} } }`, 300_000],
])('finds the longest call of a tenant with %s', (_, more, longest) => {
  expect(findLongestCall(loadSample(`${SAMPLE}${more}\n`))).toBe(longest);
});
