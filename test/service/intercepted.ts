import nock from 'nock';

// It begins with its import, and would go on into the tests of other files: its answers break off in the middle of long ones.
nock.restore();

/** Calls go to nock, and nowhere else. */
export function beginIntercepting(): void {
  nock.activate();
  nock.disableNetConnect();
}

/** They go to the network again. Answers that are still to come do not. */
export function endIntercepting(): void {
  nock.abortPendingRequests();
  nock.cleanAll();
  nock.enableNetConnect();
  nock.restore();
}
