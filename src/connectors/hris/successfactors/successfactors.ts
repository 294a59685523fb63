import { PAST_LAST_DAY, type PeopleVendor } from '../vendor.js';
import { READ } from './read.js';
import { signAssertion } from './saml.js';
import { WRITE } from './write.js';

const JOB = '/empInfo/jobInfoNav/results/0';

/** SAP SuccessFactors, with Employee Central. */
export const SUCCESSFACTORS: PeopleVendor = {
  noun: 'HR system',
  preset: {
    baseUrl: null,
    listing: { rows: '/d/results', total: '/d/__count', next: { kind: 'link', at: '/d/__next' }, deleted: null },
    incremental: { modified: '/lastModifiedDateTime', time: 'iso' },
    hasFilter: true,
    everyObject: { id: ['string!', '/userId'], modified: ['datetime', '/lastModifiedDateTime'] },
    streams: {
      people: {
        object: 'User',
        columns: {
          username: ['string', '/username'],
          first_name: ['string', '/firstName'],
          last_name: ['string', '/lastName'],
          preferred_name: ['string', '/nickname'],
          email: ['string', '/email'],
          title: ['string', '/title'],
          department: ['string', '/department'],
          division: ['string', '/division'],
          office: ['string', '/location'],
          country: ['string', '/country'],
          manager_id: ['string', '/manager/userId'],
          employee_number: ['string', '/empId'],
          phone: ['string', '/businessPhone'],
          mobile: ['string', '/cellPhone'],
          start_date: ['date', '/empInfo/startDate'],
          end_date: ['date', '/empInfo/endDate'],
          status: ['string', '/status'],
          employment_status: ['string', `${JOB}/emplStatusNav/externalCode`],
          person_id: ['string', '/empInfo/personIdExternal'],
        },
      },
    },
    place: (property) => `/${property}`,
  },
  read: READ,
  write: WRITE,
  login: {
    needs: ['client_id', 'company', 'user', 'private_key'],
    build({ client_id: client, company, user, private_key: privateKey }, baseUrl) {
      const tokenUrl = `${baseUrl}/oauth/token`;
      const subject = { apiKey: client.reveal(), user: user.reveal(), tokenUrl };
      const grant = (nowMs: number) => ({
        assertion: Buffer.from(signAssertion({ ...subject, privateKey: privateKey.reveal() }, nowMs)).toString(
          'base64',
        ),
      });
      const parameters = {
        grant_type: 'urn:ietf:params:oauth:grant-type:saml2-bearer',
        company_id: company.reveal(),
      };
      const { apiKey: clientId } = subject;
      return { oauth2: { tokenUrl, clientId, clientSecret: null, scope: null, parameters, clientAuth: 'form', grant } };
    },
  },
  leaver: PAST_LAST_DAY,
  absence: 'its lists leave out anyone outside the target population of the API user without saying so',
};
