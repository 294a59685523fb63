import nock from 'nock';

// nock starts with its import. It would also intercept calls in other test files, and break off long answers there.
nock.restore();

/** Sends all calls to nock. */
export function beginIntercepting(): void {
  nock.activate();
  nock.disableNetConnect();
}

/** Sends calls to the network again, except for pending answers. */
export function endIntercepting(): void {
  nock.abortPendingRequests();
  nock.cleanAll();
  nock.enableNetConnect();
  nock.restore();
}
