/** The guard that holds every change while state.db is new beside the traces of an earlier one. */
export const STATE_LOST = 'state.lost';
