import { type Fence, passFence } from '../base/fence.js';
import type { ConnectorContext } from './connector.js';
import type { FileSystem } from './drop/file-system.js';

/** Returns the same files with a fence that is checked before each change. */
export function fenceFiles(files: FileSystem, fence: Fence): FileSystem {
  async function pass<T>(work: () => Promise<T>): Promise<T> {
    await passFence(fence);
    return work();
  }
  return {
    clockErrorMs: files.clockErrorMs,
    list: (folder) => files.list(folder),
    look: (path) => files.look(path),
    lookAll: (folder, names) => files.lookAll(folder, names),
    realPath: (path) => files.realPath(path),
    open: (path, expected, at) => files.open(path, expected, at),
    checkWritable: (folder) => files.checkWritable(folder),
    close: () => files.close(),
    write: (path, content, bytes) => pass(() => files.write(path, content, bytes)),
    move: (from, to, replaces) => pass(() => files.move(from, to, replaces)),
    remove: (path) => pass(() => files.remove(path)),
    makeFolder: (path) => pass(() => files.makeFolder(path)),
  };
}

type OpenSourceSockets = ConnectorContext['openSockets'];

/** Returns the same connections with a fence that is checked before each request that may change something. */
export function fenceSockets(open: OpenSourceSockets, fence: Fence): OpenSourceSockets {
  return (way) => {
    const sockets = open(way);
    return {
      close: () => sockets.close(),
      async send(request) {
        if (request.method !== 'GET') await passFence(fence);
        return sockets.send(request);
      },
    };
  };
}
